# SPDX-License-Identifier: MIT
# What a sandbox could do where this runs: writes the name of each thing that works, one a line.

has() { command -v "$1" >/dev/null 2>&1; }

# inside COMMAND...: below a user, a mount and a pid namespace with a /proc of its own (unshare(1)).
inside() { unshare --user --map-root-user --mount --pid --fork --mount-proc "$@"; }

for tool in setsid setpriv env unshare bash python3 bwrap; do
  has $tool && echo "$tool"
done
{
  unshare --user --map-root-user true && echo user-namespace
  inside true && echo fresh-proc
  inside unshare --user --map-root-user --mount --pid --fork --mount-proc true && echo nested
} 2>/dev/null
exit 0
