# SPDX-License-Identifier: MIT
"""The bwrap that a helper finds first on PATH, where it is not the host's own.

Each is a script that notes that it was executed, and passes on to the host's bwrap whatever it does not change: so it
shows whether a helper executes a file of whose owner or mode it should be wary.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from attrs import frozen

Owner: TypeAlias = Literal["caller", "other"]
Place: TypeAlias = Literal["apart", "workspace", "relative", "nowhere"]

REAL: Final = "{bwrap}"
"""In a script: the host's own bwrap."""
WITNESS: Final = "{witness}"
"""In a script: the file that tells of its executions."""


@frozen
class Bwrap:
    """One bwrap.

    Args:
        script: what the file does after it has noted its execution, with `REAL` for the host's own.
        owner: whose the file is: ours, or that of a user who is neither root nor the launch user.
        mode: its permission bits.
        place: where the folder lies: apart from what a policy names, below a writable folder of the policy, as a
            relative entry of PATH, or nowhere: PATH holds everything that the host's does but a bwrap.
    """

    script: str = f'exec {REAL} "$@"\n'
    owner: Owner = "caller"
    mode: int = 0o755
    place: Place = "apart"

    def text(self, real: str, witness: str) -> str:
        """Return the script, given the paths of the host's own bwrap and of the witness."""
        script = f'#!/bin/sh\necho "$$" >>{WITNESS}\n{self.script}'
        return script.replace(REAL, real).replace(WITNESS, witness)


_REFUSE: Final = """\
refuse() { echo "bwrap: Unknown option $1" >&2; exit 1; }
look() { for option; do case $option in --) return ;; %s) refuse "$option" ;; esac; done; }
look "$@"
previous=
for option; do
  # a copy of its own: reading the caller's descriptor would use it up
  [ "$previous" = --args ] && while read -r line; do look "$line"; done <<END
$(tr '\\0' '\\n' <"/proc/self/fd/$option")
END
  previous=$option
done
exec {bwrap} "$@"
"""
_SINCE_0_2: Final = (
    "--cap-add|--cap-drop|--json-status-fd|--bind-try|--ro-bind-try|--dev-bind-try|--userns|--userns2|"
    "--pidns|--perms|--size|--chmod|--clearenv|--add-seccomp-fd|--disable-userns|--assert-userns-disabled|--argv0|"
    "--bind-fd|--ro-bind-fd|--overlay|--tmp-overlay|--ro-overlay|--overlay-src"
)
_VERSION: Final = 'case "$*" in --version) echo "bubblewrap 0.1.8"; exit 0 ;; esac\n'
_ASKED: Final = 'case "$*" in --help | --version) %s ;; esac\n'
_WAIT: Final = "exec sleep 86400"

BWRAPS: Final[Mapping[str, Bwrap]] = {
    "missing": Bwrap(place="nowhere"),
    "noted": Bwrap(),
    "other-owner": Bwrap(owner="other"),
    "world-writable": Bwrap(mode=0o777),
    "in-workspace": Bwrap(place="workspace"),
    "relative": Bwrap(place="relative"),
    "too-old": Bwrap(_VERSION + _REFUSE % _SINCE_0_2),
    "without-perms": Bwrap(_REFUSE % "--perms"),
    "without-argv0": Bwrap(_REFUSE % "--argv0"),
    "exits-0": Bwrap("exit 0\n"),
    "dies": Bwrap("kill -9 $$\n"),
    "fails": Bwrap(_ASKED % f'exec {REAL} "$@"' + 'echo "bwrap: Creating new namespace failed" >&2\nexit 1\n'),
    "hangs": Bwrap(_ASKED % f'exec {REAL} "$@"' + f"{_WAIT}\n"),
    "hangs-on-help": Bwrap(_ASKED % _WAIT + f'exec {REAL} "$@"\n'),
    "unconfined": Bwrap(
        'while [ $# -gt 0 ]; do\n  option=$1; shift\n  [ "$option" = -- ] && exec "$@"\ndone\nexit 1\n', mode=0o777
    ),
}
"""By name; the conditions ``no-bwrap`` and ``bwrap-NAME``."""
