# SPDX-License-Identifier: MIT
"""The HTML report: what is on the page, and that nothing of strangers becomes a part of it."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from boxproof.model.outcome import KINDS, SECURITY, Finding, Kind, Verdict
from boxproof.model.result import Shown
from boxproof.report.failure import PRIVATE
from boxproof.report.html import BODIES, CELL_BODIES, NAMES, html
from boxproof.report.matrix import LETTERS
from tests.report.reports import CONTRACT, FAIL, LEAK, PASS, Page, filled, of, one_of_each

TEXT = st.text(st.characters(), min_size=1, max_size=30) | st.sampled_from(
    (
        "</script><script>alert(1)</script>",
        '" onfocus="x',
        "<!--",
        "]]>",
        "{{ 7 * 7 }}",
        "javascript:x",
        "a/b#1",
        "\x00",
        "\udcff",
    )
)


def page_of_all() -> Page:
    return Page(html(one_of_each(), CONTRACT))


@given(text=TEXT)
def test_text_of_strangers_is_text(text: str) -> None:
    assert Page(html(filled(text), CONTRACT)).shape == Page(html(filled("x"), CONTRACT)).shape


@given(text=TEXT)
def test_nothing_hidden_gets_onto_the_page(text: str) -> None:
    shown = html(filled(text), CONTRACT)
    shown.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]", shown)


def test_a_case_of_hostile_names_is_text() -> None:
    assert FAIL.shown
    hostile = evolve(FAIL.shown, case=FAIL.shown.case.replace("auth.json", "<b>&amp;"))
    plain = evolve(FAIL, findings=(evolve(LEAK, path=""),))
    page = Page(html(of(evolve(plain, shown=hostile)), CONTRACT))
    assert page.shape == Page(html(of(plain), CONTRACT)).shape
    assert any(node.text.endswith("<b>&amp; file") for node in page.all("td"))


def test_it_loads_nothing_and_runs_its_own_script_alone() -> None:
    page = page_of_all()
    (script,) = page.all("script")
    (policy,) = page.all("meta", http_equiv="Content-Security-Policy")
    digest = base64.b64encode(hashlib.sha256("".join(script.inside).encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy.attributes["content"]
    assert policy.attributes["content"].startswith("default-src 'none'")
    loading = [node for node in page.nodes if {"src", "srcset", "data", "action", "style"} & set(node.attributes)]
    assert not loading
    assert not [name for node in page.nodes for name in node.attributes if name.startswith("on")]


def test_each_address_within_leads_somewhere_and_no_id_is_there_twice() -> None:
    page = page_of_all()
    ids = [node.attributes["id"] for node in page.nodes if "id" in node.attributes]
    assert len(ids) == len(set(ids))
    inside = {node.attributes["href"][1:] for node in page.all("a") if node.attributes["href"].startswith("#")}
    assert inside <= set(ids)
    assert {node.attributes["href"] for node in page.all("a")} >= {"https://github.com/openai/codex/issues/52658"}


def test_there_is_a_table_for_each_evidence_and_nothing_is_added_up() -> None:
    page = page_of_all()
    assert [node.text for node in page.all("h2")][:2] == ["Evidence: host", "Evidence: layout"]
    cells = {node.attributes["aria-label"] for node in page.all("a") if "aria-label" in node.attributes}
    assert "START-1, alpha-1.0 on host: 2 pass (1 by an allowed refusal)" in cells
    assert "MASK-2, alpha-1.0 on el9: 1 fail" in cells
    assert "Counts of different evidence are not added up." in page.all("main")[0].text


def test_each_verdict_has_a_letter() -> None:
    assert len(set(LETTERS.values())) == len(LETTERS) == len(Verdict)
    legend = page_of_all().all("ul", class_="legend")[0].text
    assert all(f"{LETTERS[verdict]} {verdict.value}" in legend for verdict in Verdict if verdict.rank)


def test_the_finding_shows_what_a_maintainer_needs() -> None:
    text = Page(html(of(FAIL), CONTRACT)).all("article")[0].text
    for words in (
        "leak",
        "alias/auth.json",
        "denied",
        "its token came out",
        "deny alias/auth.json → real/auth.json",
        "Rules on nothing in the tree: ro /etc",
        "/opt/helper --policy p",
        "one two",
        "pytest --case=boxproof-out/mask-2/case.toml --helper=/opt/alpha",
        "openai/codex#52658",
        "evidence: host",
    ):
        assert words in text, words


def test_the_tree_is_a_tree_with_rules_and_findings_beside_what_they_are_about() -> None:
    page = Page(html(of(FAIL), CONTRACT))
    (tree,) = page.all("table", class_="tree")
    assert "├── ws/rw ws │ └── file file" in tree.text
    assert "└── auth.json filedeny real/auth.jsondeny alias/auth.json → real/auth.jsonleak" in tree.text
    assert tree.text.endswith("└── alias -> {farm}/real")


@pytest.mark.parametrize("kind", KINDS)
def test_what_endangers_users_carries_the_advice(kind: Kind) -> None:
    row = evolve(FAIL, findings=(Finding(kind, "MASK-2", "a", "b"),))
    assert (PRIVATE in html(of(row), CONTRACT)) == (kind in SECURITY)


def test_a_generated_item_shows_each_bug() -> None:
    report = one_of_each()
    text = Page(html(of(report.results[-1]), CONTRACT)).all("article")[0].text
    assert "bug 1 of 1: leak, in 3 examples" in text
    assert "deny real/auth.json" in text


def test_a_report_of_another_contract_is_shown_all_the_same() -> None:
    page = Page(html(of(evolve(FAIL, requirement="NEW-7"), PASS), {}))
    assert [node.text for node in page.all("h3")] == ["NEW-7MUST", "START-1MUST"]


def test_a_run_without_results_is_a_page() -> None:
    assert Page(html(of(), CONTRACT)).all("h1")[0].text == "No results"


def test_a_big_report_is_bounded_and_says_so() -> None:
    many = [evolve(FAIL, id=f"MASK-2[{number}]") for number in range(400)]
    good = [evolve(PASS, id=f"START-1[{number}]") for number in range(1000)]
    text = html(of(*many, *good), CONTRACT)
    page = Page(text)
    assert len(page.all("table", class_="tree")) == CELL_BODIES
    assert len(page.all("article")) == 400
    assert f"... and {1000 - NAMES} more, all in the JSON report" in text
    assert len(text) < 1_000_000


def test_the_whole_page_is_bounded_too() -> None:
    rows = [
        evolve(FAIL, requirement=f"AREA-{area}", shown=Shown("x", "x"))
        for area in range(60)
        for _ in range(CELL_BODIES)
    ]
    assert html(of(*rows), {}).count('class="exhibit"') == BODIES


def test_findings_are_as_many_as_the_terminal_shows() -> None:
    findings = tuple(evolve(LEAK, path=f"p{number}") for number in range(50))
    assert "... and 30 more findings" in html(of(evolve(FAIL, findings=findings)), CONTRACT)
