# SPDX-License-Identifier: MIT
"""The pages about requirements are what is made of the data today, and can be read."""

from __future__ import annotations

import re

import pytest

from boxproof.surface.setup import read_contract
from tests.known_bad.recorded import recorded
from tests.requirements.families import families
from tests.requirements.page import FOLDER, INDEX, SHAPES, of_reports, pages
from tests.requirements.results import FILE, read

LONGEST = 260
"""Lines of a page, which a reader can still take in; the drawings leave off far before."""


def test_the_pages_are_current() -> None:
    """Where this fails: python -m tests.requirements.page"""
    assert {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.md")} == pages()


def test_each_requirement_has_a_page_with_what_is_known_of_it() -> None:
    for name, requirement in read_contract().items():
        text = pages()[f"{name}.md"]
        assert f"**{requirement.level}**: {requirement.statement}" in text
        assert requirement.why in text
        assert "{farm}/\n" in text


@pytest.mark.parametrize("name", sorted(pages()))
def test_a_page_is_short_enough_to_be_read(name: str) -> None:
    assert len(pages()[name].splitlines()) <= LONGEST


@pytest.mark.parametrize("name", sorted(pages()))
def test_links_lead_to_pages(name: str) -> None:
    links = re.findall(r"\]\(([^)]*)\)", pages()[name])
    own = {link.partition("#")[0] for link in links if not link.startswith("https://")}
    assert [link for link in own if not (FOLDER / link).is_file()] == []


def test_each_case_is_on_the_page_of_its_requirement() -> None:
    for name in read_contract():
        text = pages()[f"{name}.md"]
        ids = [case.id for family in families().get(name, ()) for case in family.cases]
        assert [each for each in ids if f"`{each}`" not in text] == []
        assert [each for each in of_reports(name) if f"`{each}`" not in text] == []


def test_no_recorded_case_is_without_a_page() -> None:
    assert {case.requirement for case in recorded().values()} <= set(read_contract())


def test_the_index_leads_to_all_of_them() -> None:
    assert [name for name in pages() if name != INDEX and f"({name})" not in pages()[INDEX]] == []
    assert SHAPES in pages()


def test_results_are_about_requirements() -> None:
    assert {name for release in read(FILE) for name in release.outcomes} <= set(read_contract())
