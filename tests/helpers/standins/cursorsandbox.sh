#!/bin/sh
# SPDX-License-Identifier: MIT
# Stands in for the builds that took the policy as an argument: shows what it was given and runs the command.
if [ "$1" = --help ]; then
    echo 'Usage: cursorsandbox [OPTIONS] [COMMAND]...'
    echo '      --sandbox-policy <SANDBOX_POLICY>'
    exit 0
fi
[ "$1" = --sandbox-policy ] && [ "$3" = -- ] || exit 1
printf '%s\n' "$2"
shift 3
exec "$@"
