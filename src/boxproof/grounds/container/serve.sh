# SPDX-License-Identifier: MIT
# The first process of a container: sh serve.sh CONTROL UID GID [DROP...]
#
# Reads orders on its standard input and ends with it, and with it ends the container. Writes one line for each thing
# that happens: "ready", "started PID", "failed CALL", "ended STATUS". What else is written there is the shell's own
# word for a death by signal ("Killed"), for which POSIX has no other. A helper has neither this pipe nor a way to
# open it, so nothing that it prints can pass for a line.
#
# "launch INPUT" runs CONTROL/launch, which the engine has written, with INPUT, CONTROL/out and CONTROL/err as its
# streams. It is not put in the background, where a shell would have it ignore SIGINT (POSIX, Shell, 2.11). Orphans
# become children of this process, which cannot be killed from inside (pid_namespaces(7)).

[ $$ = 1 ] || { echo 'serve.sh: not the first process of a container' >&2; exit 2; }
set -f
exec 2>&1 3>&1
LC_ALL=C
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL PATH
umask 022
ulimit -c 0
cd /

control=$1 uid=$2 gid=$3

# known FILE NUMBER: true where a row of passwd(5) or group(5) has that number.
known() {
  while IFS=: read -r _ _ number _; do
    [ "$number" = "$2" ] && return
  done <"$1"
  false
}

# add FILE NUMBER ROW: a row for the launch user in this container's own copy of the file.
add() {
  if [ -f "$1" ] && ! known "$1" "$2"; then { echo "$3" >>"$1"; } 2>/dev/null; fi
}

add /etc/passwd "$uid" "boxproof:x:$uid:$gid::/:/bin/sh"
add /etc/group "$gid" "boxproof:x:$gid:"

sh "$control/keep.sh" <"$control/keep" &
echo ready

while read -r order input; do
  [ "$order" = launch ] || continue
  (
    # in a subshell $$ is the parent's number
    read -r pid _ </proc/self/stat
    echo "started $pid" >&3
    . "$control/launch"
  ) <"$input" >"$control/out" 2>"$control/err"
  echo "ended $?"
done
