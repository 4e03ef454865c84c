# SPDX-License-Identifier: MIT
# What an image has: writes a line "KEY VALUE" for each thing.
#
# links: what bwrap does with a link as destination, asked by binding onto one, since fixes are backported: "refuse",
# "escape" (relative links are followed, absolute ones fail), "follow", or "unknown" where it does not start.

first() { "$@" 2>/dev/null | { read -r line; echo "${line##* }"; }; }

# binds NAME: whether a file can be bound onto that name.
binds() {
  bwrap --ro-bind / / --ro-bind /dev/null "$folder/$1" /bin/sh -c : 2>/dev/null
}

links() {
  folder=$(mktemp -d) || return
  : >"$folder/file"
  ln -s file "$folder/relative"
  ln -s "$folder/file" "$folder/absolute"
  class=unknown
  if binds file; then
    class=refuse
    binds relative && class=escape
    binds absolute && class=follow
  fi
  rm -r "$folder"
  echo "$class"
}

(. /etc/os-release && echo "distribution $PRETTY_NAME")
if command -v bwrap >/dev/null 2>&1; then
  echo "bwrap $(first bwrap --version)"
  echo "links $(links)"
fi
command -v python3 >/dev/null 2>&1 && echo "python $(first python3 --version)"
command -v setpriv >/dev/null 2>&1 && echo "util-linux $(first setpriv --version)"
exit 0
