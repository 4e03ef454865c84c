# SPDX-License-Identifier: MIT
"""The helper's command lines in a reproducer, and the policies that they take as documents."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from boxproof.report.embedded import embedded, is_embedded
from boxproof.report.recipe import COMMAND, FDS, PROBE, Start
from boxproof.report.shellwords import document, word

_COLUMNS: Final = 120
_WIDE: Final = 800
"""Characters of a document from which on it is written on several lines."""


def documents(start: Start, variables: Mapping[str, str]) -> Iterator[str]:
    """Iterate over the lines that set the policies of one start, each in a variable: those in files come first.

    Args:
        start: a start of the helper.
        variables: as `shellwords.word` takes them.
    """
    for number, text in enumerate(_texts(start, variables)):
        body = document(_on_lines(text), {**variables, **_probe_in(text, start)})
        if "\n" in body or PROBE in text:
            yield from (f"{document_name(number)}=$(cat <<EOF", body, "EOF", ")")
        else:
            yield from (f"read -r {document_name(number)} <<EOF", body, "EOF")


def launch(start: Start, variables: Mapping[str, str]) -> Iterator[str]:
    """Iterate over the lines of the command that starts the helper; the script adds what it is to run."""
    named = {text: f'"${document_name(number)}"' for number, text in enumerate(_texts(start, variables))}
    named[PROBE] = '"$probe"'
    numbers = dict(zip(map(str, start.null_fds), map(str, FDS), strict=False))
    argv = start.argv if is_embedded(start) else start.argv[: -len(COMMAND)]
    words = [named.get(each) or word(numbers.get(each, each), {**variables, **_probe_in(each, start)}) for each in argv]
    env = [f"{name}={_value(name, value, variables)}" for name, value in start.env.items()]
    opened = [f"{number}</dev/null" for number in numbers.values()]
    return _folded(["run", *(["env", *env] if env else []), *words, *opened])


def document_name(number: int) -> str:
    """Return the variable of a document."""
    return f"policy{number or ''}"


def _probe_in(text: str, start: Start) -> Mapping[str, str]:
    """Return the variable that stands for the probe in a text of the start, in the form of `shellwords.word`."""
    names = embedded(start)
    name = names.get(text) or names.get(f"{text}\n")
    return {PROBE: name} if name else {}


def _texts(start: Start, variables: Mapping[str, str]) -> Sequence[str]:
    files = [content.decode("utf-8", "surrogateescape").removesuffix("\n") for content in start.files.values()]
    return [*files, *(argument for argument in start.argv if _is_document(argument, variables))]


def _is_document(argument: str, variables: Mapping[str, str]) -> bool:
    return '"' in argument and any(place in argument for place in variables)


def _value(name: str, value: str | None, variables: Mapping[str, str]) -> str:
    return f'"${{{name}-}}"' if value is None else word(value, variables)


def _on_lines(text: str) -> str:
    """Return a JSON document on one line, a long one with each object of a list on its own; anything else as it is."""
    # no string of JSON holds a line feed
    lines = re.sub(r"\n *", " ", text)
    lines = lines.replace('[{"', '[\n  {"').replace('}, {"', '},\n  {"') if len(lines) > _WIDE else lines
    try:
        return lines if json.loads(lines) == json.loads(text) else text
    except ValueError:
        return text


def _folded(words: Sequence[str]) -> Iterator[str]:
    """Iterate over the lines of a command, broken between words."""
    line = ""
    for each in words:
        if len(line) + len(each) > _COLUMNS and line:
            yield f"{line} \\"
            line = "   "
        line += f" {each}" if line else each
    yield line
