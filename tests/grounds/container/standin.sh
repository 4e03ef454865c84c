#!/bin/sh
# SPDX-License-Identifier: MIT
# What the engine asks of podman, without images: a container is this host in a mount and a pid namespace of its own.
# Where NEEDS is set, nothing starts without that word.
here=$(dirname "$0")
case $1 in
  version) echo '1.0 <nil>' ;;
  image)
    [ "$3" = standin ] || { echo "no such image: $3" >&2; exit 125; }
    echo '[{"Id": "1", "Digest": "sha256:1", "Config": {"Labels": {"boxproof.layout": "debian-12"}}}]'
    ;;
  run)
    case "$NEEDS${NEEDS:+ }$*" in "$NEEDS"*"$NEEDS"*) ;; *) echo "not without $NEEDS" >&2; exit 126 ;; esac
    while [ "$1" != standin ]; do shift; done
    shift
    for file in passwd group; do cp "/etc/$file" "$here/$file"; done
    exec unshare --mount --pid --fork --kill-child --mount-proc sh -c '
      for file in passwd group; do mount --bind "$0/$file" "/etc/$file"; done
      exec sh "$@"' "$here" "$@"
    ;;
esac
