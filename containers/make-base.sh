#!/bin/sh
# SPDX-License-Identifier: MIT
# Make base images from Debian's packages, where no image registry is at hand: make-base.sh [--install] SUITE...
#
# SUITE is bullseye, bookworm or trixie. Each becomes .cache/bases/SUITE.tar, which is kept, and from it the image
# localhost/boxproof-base/SUITE. It needs root, mmdebstrap and podman (or docker); --install has apt-get install them.
set -eu
cache=$(cd "$(dirname "$0")/.." && pwd)/.cache/bases

if [ "${1-}" = --install ]; then
  shift
  if ! command -v mmdebstrap >/dev/null || ! { command -v podman || docker info; } >/dev/null 2>&1; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends \
      mmdebstrap podman buildah runc crun uidmap
  fi
fi
engine=$(command -v "${BOXPROOF_ENGINE:-podman}" || command -v "${BOXPROOF_ENGINE:-docker}") || {
  echo 'make-base.sh: install podman or docker, or give --install' >&2
  exit 2
}

mkdir -p "$cache"
for suite; do
  tar=$cache/$suite.tar
  if ! [ -s "$tar" ]; then
    mmdebstrap --quiet --variant=minbase "$suite" "$cache/new-$suite.tar"
    mv "$cache/new-$suite.tar" "$tar"
  fi
  "$engine" image inspect "localhost/boxproof-base/$suite" >/dev/null 2>&1 \
    || "$engine" import "$tar" "localhost/boxproof-base/$suite"
done
