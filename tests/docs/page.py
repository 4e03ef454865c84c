# SPDX-License-Identifier: MIT
"""The fenced blocks of a page, and the commands in them.

A comment before a block says what a test is to make of it:

* ``<!-- file: NAME -->``: the block is that file, for the commands after it;
* ``<!-- append: NAME -->``: the block is put at the end of that file;
* ``<!-- below: NAME: TEXT -->``: the block is put below the line of that file with this text;
* ``<!-- status: N -->``: each command in it ends with N;
* ``<!-- printed -->``: the last command before it prints it, among other things;
* ``<!-- not run: REASON -->``: its commands cannot be run by a test.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from attrs import frozen

CHECKOUT: Final = Path(__file__).parents[2]
PAGES: Final = (
    "README.md",
    *sorted(str(path.relative_to(CHECKOUT)) for path in (CHECKOUT / "docs").rglob("*.md")),
)
TRANSCRIPT: Final = "console"
"""The language of blocks with commands behind ``$`` and what these print."""
SCRIPT: Final = "sh"
"""The language of blocks with nothing but commands."""
_FENCE: Final = re.compile(r"(?P<indent> *)```(?P<language>\S*)\n")
_MARK: Final = re.compile(r" *<!-- (?P<key>file|append|below|status|printed|not run)(?:: (?P<value>.+))? -->\n")


@frozen
class Block:
    """One fenced block.

    Args:
        page: the page's path in the checkout.
        line: where it begins, from 1.
        language: the word behind the fence.
        text: its lines, without the indentation of the fence.
        marks: what the comments before it say, by key.
    """

    page: str
    line: int
    language: str
    text: str
    marks: dict[str, str]

    @property
    def is_text(self) -> bool:
        """Whether it is a file, or a part of one."""
        return not self.marks.keys().isdisjoint({"file", "append", "below"})

    @property
    def has_commands(self) -> bool:
        """Whether there is anything to run in it."""
        return self.language in {TRANSCRIPT, SCRIPT}


@frozen
class Step:
    """One command.

    Args:
        command: as a shell takes it.
        shown: what the page says that it prints, or ``None`` where it does not say.
        status: what it ends with, or ``None`` where the page does not say.
    """

    command: str
    shown: str | None
    status: int | None


def blocks(page: str) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    return list(_blocks(page, (CHECKOUT / page).read_text("utf-8").splitlines(keepends=True)))


def _blocks(page: str, lines: list[str]) -> Iterator[Block]:
    marks: dict[str, str] = {}
    numbered = iter(enumerate(lines, start=1))
    for number, line in numbered:
        if mark := _MARK.fullmatch(line):
            marks[mark["key"]] = mark["value"] or ""
        elif fence := _FENCE.fullmatch(line):
            end = f"{fence['indent']}```\n"
            inside = []
            for _, text in numbered:
                if text == end:
                    break
                inside.append(text.removeprefix(fence["indent"]))
            yield Block(page, number, fence["language"], "".join(inside), marks)
            marks = {}
        elif line.strip():
            assert not marks, f"{page}:{number}: no block follows the comment"
    assert not marks, f"{page}: no block follows the last comment"


def steps(block: Block) -> list[Step]:
    """Return the commands of a block, in order."""
    status = int(block.marks["status"]) if "status" in block.marks else None
    if block.language == SCRIPT:
        return [Step(command, None, status) for command in _script(block.text)]
    first, *rest = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
    assert not first, f"{block.page}:{block.line}: a transcript begins with a command"
    return [Step(*_said(text), 0 if status is None else status) for text in rest]


def _said(text: str) -> tuple[str, str]:
    command, _, printed = re.sub(r"\\\n> ", "", text).partition("\n")
    return command, printed


def _script(text: str) -> list[str]:
    lines = re.sub(r"\\\n *", "", text).splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]
