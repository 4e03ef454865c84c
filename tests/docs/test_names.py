# SPDX-License-Identifier: MIT
"""What pages name in passing exists: commands and their options, tox environments, files of the checkout."""

from __future__ import annotations

import configparser
import os
import re
from collections.abc import Iterator

import click
import pytest

from boxproof.cli import main
from tests.docs.page import CHECKOUT, PAGES, blocks

READMES = ("CHANGELOG.md", "SECURITY.md", "conformance/cases/README.md", "containers/README.md")
_CODE = re.compile(r"`([^`\n]+)`")
_FILE = re.compile(r"(?<![\w/.-])(?:conformance|containers|docs|fixtures|src|tests)/[\w./-]*[\w/](?![\w*])")


def spans(page: str) -> list[str]:
    """Return what a page has in backquotes, and the lines of its blocks."""
    text = (CHECKOUT / page).read_text("utf-8")
    return [*_CODE.findall(text), *text.splitlines()]


def asked(page: str, program: str) -> Iterator[list[str]]:
    """Iterate over the words behind a program's name, wherever a line or a span begins with it."""
    for span in spans(page):
        if (words := span.removeprefix("$ ").split("  ")[0].split())[:1] == [program]:
            yield words[1:]


@pytest.mark.parametrize("page", (*PAGES, *READMES))
def test_each_command_of_boxproof_is_one(page: str) -> None:
    for words in asked(page, "boxproof"):
        command: click.Command = main
        while isinstance(command, click.Group) and words and words[0].islower() and not words[0].startswith("-"):
            assert words[0] in command.commands, f"{page}: boxproof {' '.join(words)}"
            command = command.commands[words.pop(0)]
        if command.name in {"gate", "run", "simulate"}:
            continue
        known = {name for parameter in command.params for name in parameter.opts} | {"--help", "--version"}
        given = {word.partition("=")[0].strip("[]") for word in words if re.match(r"\[?-", word)}
        assert given <= known, f"{page}: {given - known}"


@pytest.mark.parametrize("page", (*PAGES, *READMES))
def test_each_environment_of_tox_is_one(page: str) -> None:
    tox = configparser.ConfigParser()
    tox.read(CHECKOUT / "tox.ini")
    for named in re.findall(r"tox(?: -q)? -e ([\w,-]+)", (CHECKOUT / page).read_text("utf-8")):
        assert {f"testenv:{name}" for name in named.split(",")} <= set(tox.sections()), f"{page}: {named}"


@pytest.mark.parametrize("page", [page for page in PAGES if page != "docs/decisions.md"])
def test_each_file_of_the_checkout_is_there(page: str) -> None:
    named = {path for span in _CODE.findall((CHECKOUT / page).read_text("utf-8")) for path in _FILE.findall(span)}
    written = {block.marks["file"] for block in blocks(page) if "file" in block.marks}
    assert {path for path in named - written if not os.path.exists(CHECKOUT / path)} == set()
