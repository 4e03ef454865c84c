# SPDX-License-Identifier: MIT
from __future__ import annotations

import re
from pathlib import Path

import pytest

from boxproof.errors import CaseError, NotationError
from boxproof.model.requirement import Contract, Part, Requirement, load_contract

FILE = Path(__file__).parents[2] / "conformance" / "requirements.toml"
EXAMPLE = """\
format = 1
[terms]
refused = "not run"
[[requirement]]
id = "NAME-1"
level = "MUST"
statement = \"\"\"
Odd names are
taken literally.\"\"\"
why = "Names pass through shells."
sources = ["owner/name#1"]
[[requirement.parts]]
level = "MUST"
statement = "The one."
[[requirement.parts]]
level = "RECORD"
statement = "The other."
[[requirement]]
id = "NAME-2"
level = "SHOULD"
statement = "s"
why = "w"
"""
# Every id of the contract and its level; a change here is a change of the contract itself.
LEVELS = {
    "MUST": """START-1 START-2 START-3 START-4 START-5 BIND-1 BIND-2 BIND-3 BIND-4 BIND-5 BIND-6 BIND-7 BIND-8 NEST-1
        MASK-1 MASK-2 MASK-3 MASK-4 MASK-5 MASK-6 MASK-7 MASK-8 ESC-1 ESC-2 ESC-3 ESC-4 HOST-1 HOST-3 PROC-1 PROC-2
        PROC-3 PROC-4 PROC-6 FALL-1 FALL-2 FALL-3 FALL-4 FALL-6 FALL-7 NAME-1 RACE-1""",
    "SHOULD": "MASK-9 HOST-2 HOST-4 PROC-5 PROC-7 FALL-5 FALL-8 NAME-2 CONF-1",
    "RECORD": "NEST-2",
}
MIXED = """START-3 START-5 BIND-1 BIND-4 BIND-7 BIND-8 MASK-3 MASK-4 ESC-1 ESC-2 ESC-3 HOST-1 HOST-3 PROC-2 PROC-3
    PROC-4 FALL-7 RACE-1"""
SOURCE = re.compile(r"[\w.-]+/[\w.-]+#[0-9]+|CVE-[0-9]{4}-[0-9]+|[a-z0-9_]+\([0-9]p?\)|Cursor forum, .+")


@pytest.fixture(scope="module")
def contract() -> Contract:
    return load_contract(FILE.read_text("utf-8"), FILE.name)


def test_a_contract_is_read() -> None:
    parts = (Part("MUST", "The one."), Part("RECORD", "The other."))
    odd = Requirement(
        "NAME-1", "MUST", "Odd names are taken literally.", "Names pass through shells.", ("owner/name#1",), parts
    )
    bytes_ = Requirement("NAME-2", "SHOULD", "s", "w")
    assert load_contract(EXAMPLE, "r.toml") == Contract((odd, bytes_), {"refused": "not run"})


def test_a_contract_is_a_mapping_by_id_in_order(contract: Contract) -> None:
    assert list(contract)[:2] == ["START-1", "START-2"]
    assert contract["MASK-2"].area == "MASK"
    assert len(contract) == len(list(contract)) == len(contract.requirements)
    assert "MASK-99" not in contract
    assert contract.areas == ("START", "BIND", "NEST", "MASK", "ESC", "HOST", "PROC", "FALL", "NAME", "RACE", "CONF")
    assert [requirement.id for requirement in contract.at(["RECORD"])] == ["NEST-2"]


def test_every_requirement_has_its_level(contract: Contract) -> None:
    assert {level: {each.id for each in contract.at([level])} for level in ("MUST", "SHOULD", "RECORD")} == {
        level: set(ids.split()) for level, ids in LEVELS.items()
    }
    assert {id_ for id_, requirement in contract.items() if requirement.parts} == set(MIXED.split())


def test_every_requirement_says_what_why_and_by_whom_it_was_reported(contract: Contract) -> None:
    for requirement in contract.values():
        assert requirement.statement.endswith("."), requirement.id
        assert requirement.why.endswith("."), requirement.id
        assert len(requirement.why) > 60, requirement.id
        assert requirement.sources, requirement.id
        for source in requirement.sources:
            assert SOURCE.fullmatch(source), (requirement.id, source)
        assert len(set(requirement.sources)) == len(requirement.sources), requirement.id


def test_a_statement_names_no_requirement_that_is_not_there(contract: Contract) -> None:
    named = re.compile(rf"(?:{'|'.join(contract.areas)})-[0-9]+")
    found = {id_ for requirement in contract.values() for id_ in named.findall(requirement.statement)}
    assert {"HOST-4", "MASK-5", "NEST-2"} <= found <= set(contract)


def test_numbers_have_no_gaps(contract: Contract) -> None:
    for area in contract.areas:
        own = [requirement.id for requirement in contract.requirements if requirement.area == area]
        assert own == [f"{area}-{number}" for number in range(1, len(own) + 1)]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    (
        (EXAMPLE, "", "1: is empty"),
        ("format = 1", "format = 3", "1: 'format' is 3 (this version of Boxproof reads format 1)"),
        ("[terms]", "[term]", "2: 'term' is no known key; did you mean 'terms'?"),
        ('"not run"', "1", "3: 'terms.refused' is an integer; write a string"),
        ('"NAME-1"', '"NAME-01"', "5: 'requirement.id': 'NAME-01' is no requirement id; write one such as 'MASK-2'"),
        ('"NAME-2"', '"NAME-1"', "19: 'NAME-1' is there twice; give it a number of its own"),
        ('"MUST"', '"MSUT"', "6: 'requirement.level' cannot be 'MSUT'; did you mean 'MUST'?"),
        ('"MUST"', '"SHOULD"', "6: 'requirement.level': NAME-1 is a SHOULD (its most binding part is a MUST)"),
        ('"RECORD"', '"RECRD"', "16: 'requirement.parts.level' cannot be 'RECRD'; did you mean 'RECORD'?"),
        ('statement = "The other."', "", "15: 'requirement.parts.statement' is missing"),
        ('why = "w"\n', "", "18: 'requirement.why' is missing"),
        ('"owner/name#1"', "1", "11: 'requirement.sources' holds an integer; write a string"),
    ),
)
def test_what_is_wrong_is_said_on_one_line_with_its_place(old: str, new: str, message: str) -> None:
    assert old in EXAMPLE
    with pytest.raises(NotationError) as raised:
        load_contract(EXAMPLE.replace(old, new, 1), "r.toml")
    assert str(raised.value) == f"r.toml:{message}"


def test_a_contract_without_requirements_is_refused() -> None:
    with pytest.raises(NotationError, match=r"^r\.toml:1: 'requirement' is missing$"):
        load_contract("format = 1\n[terms]\n", "r.toml")


def test_a_value_that_contradicts_itself_is_refused() -> None:
    once = Requirement("NAME-2", "SHOULD", "s", "w")
    with pytest.raises(CaseError, match="NAME-2 is there twice"):
        Contract((once, once))
    with pytest.raises(ValueError, match="must be in"):
        Requirement("NAME-2", "MAY", "s", "w")  # type: ignore[arg-type]
