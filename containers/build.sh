#!/bin/sh
# SPDX-License-Identifier: MIT
# Build one of the project's images: build.sh debian|fedora|rocky9 [BASE [TAG]], with podman, else docker,
# or what BOXPROOF_ENGINE names.
#
# BASE is a reference; without one the Containerfile's is taken, and fetched where it is not here. What is built on is
# the digest that it has then, which the image records (label org.opencontainers.image.base.digest), and so it does the
# layout that it should have (boxproof.layout): TAG where layouts/TAG.toml is there, else the Containerfile's. The flags
# of the build are tried without and with what some hosts need.
set -eu
name=$1 base=${2-} tag=${3-$1}
here=$(cd "$(dirname "$0")" && pwd)
[ -f "$here/$name/Containerfile" ] || { echo "build.sh: no image '$name'" >&2; exit 2; }
[ "$base" ] || base=$(sed -n 's/^ARG BASE=//p' "$here/$name/Containerfile")
engine=$(command -v "${BOXPROOF_ENGINE:-podman}" || command -v "${BOXPROOF_ENGINE:-docker}") || {
  echo 'build.sh: install podman or docker' >&2
  exit 2
}

"$engine" image inspect "$base" >/dev/null 2>&1 || "$engine" pull "$base"
pinned=$("$engine" image inspect --format '{{range .RepoDigests}}{{println .}}{{end}}' "$base" | head -n 1)
id=$("$engine" image inspect --format '{{.Id}}' "$base")
[ "$pinned" ] && base=$pinned
case $base in *@*) digest=${base##*@} ;; *) digest=$id ;; esac
layout=$(sed -n 's/^ARG LAYOUT=//p' "$here/$name/Containerfile")
[ -f "$here/layouts/$tag.toml" ] && layout=$tag

build() {
  "$engine" build "$@" --network=host --build-arg "BASE=$base" --build-arg "DIGEST=$digest" \
    --build-arg "LAYOUT=$layout" --tag "localhost/boxproof/$tag" \
    --file "$here/$name/Containerfile" "$here/$name"
}

case $engine in
  */docker) build ;;
  *)
    # root without CAP_SYS_RESOURCE may not raise a limit to podman's default; crun before 1.9 takes no hybrid cgroups
    set -- --ulimit nofile=1024:4096 --ulimit nproc=1000:1000
    build || build "$@" || build --runtime runc "$@" || build --isolation=chroot "$@"
    ;;
esac
