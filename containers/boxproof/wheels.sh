#!/bin/sh
# SPDX-License-Identifier: MIT
# Fill wheels/ with the wheel of this checkout and all that it needs: wheels.sh VERSION, that of the base's Python.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
wheels=$here/wheels
rm -rf "$wheels"
python3 -m pip wheel --quiet --no-deps --wheel-dir "$wheels" "$here/../.."
python3 -m pip download --quiet --only-binary=:all: --python-version "$1" --dest "$wheels" "$wheels"/boxproof-*.whl
