# SPDX-License-Identifier: MIT
"""The probe inside another text: helpers that take their command as a shell string, or in a JSON document.

An adapter writes `recipe.COMMAND` there, whose third word stands for the probe. The script knows the probe as
``$probe``, printable ASCII on lines, and makes of it what the place needs: quoted for a shell, escaped for JSON, or
both.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from boxproof.report.recipe import COMMAND, PROBE, Start

_SHELL: Final = shlex.join(COMMAND)
_LIST: Final = json.dumps(COMMAND)
_QUOTED: Final = r"""quoted=$(printf '%s\n' "$probe" | sed "s/'/'\\\\''/g; 1s/^/'/; \$s/\$/'/")"""
_ESCAPED: Final = r"""escaped=$(printf '%s\n' "$PROBE" | sed 's/[\\"]/\\&/g; $!s/$/\\n/' | tr -d '\n')"""
_PLAIN: Final = """case $base in *[!A-Za-z0-9_./@-]*) cannot "the farm's path cannot be put into a command" ;; esac"""


def is_embedded(how: Start) -> bool:
    """Tell whether the command is whole in one of the start's texts."""
    return any(_SHELL in text or _LIST in text for text in _texts([how]))


def prepared(starts: Sequence[Start]) -> Iterator[str]:
    """Iterate over the lines that make of ``$probe`` what the starts need."""
    needed = {name for how in starts for name in embedded(how).values()}
    shell = any(_SHELL in text for text in _texts(starts))
    if shell:
        yield from (_PLAIN, _QUOTED)
    if "escaped" in needed:
        yield _ESCAPED.replace("PROBE", "quoted" if shell else "probe")


def embedded(how: Start) -> Mapping[str, str]:
    """Return the name of the shell's variable for `PROBE` in each of the start's texts that holds it."""
    names = {text: "probe" if text == PROBE else "quoted" for text in how.argv if PROBE in text}
    return names | {text: "escaped" if text.startswith("{") else "quoted" for text in _files(how) if PROBE in text}


def _texts(starts: Sequence[Start]) -> Iterator[str]:
    for how in starts:
        yield from how.argv
        yield from _files(how)


def _files(how: Start) -> Iterator[str]:
    return (content.decode("utf-8", "surrogateescape") for content in how.files.values())
