# SPDX-License-Identifier: MIT
from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from boxproof.model.casefile import dump_case, load_case
from boxproof.surface.reduce_command import reduce
from tests.plugin.place import Place
from tests.reducing.helpers import make, rules_of, tree_of

FAILING = make(
    "ws/\nstore/\nstore/key file\nhome/\nhome/one -> ../store/key", "rw ws", "deny store/key", "deny home/one"
)
PASSING = make("ws/\nstore/\nstore/key file", "rw ws", "deny store/key")


def drive(place: Place, file: Path, *words: str) -> Result:
    given = [str(file), f"--helper={place.bwrap()}", f"--farm-root={place.farms}", *words]
    return CliRunner().invoke(reduce, given)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "case.toml"
    file.write_text(dump_case(FAILING), encoding="utf-8")
    return file


def test_the_smallest_case_is_printed_and_written_beside_the_given_one(place: Place, file: Path) -> None:
    done = drive(place, file)
    assert done.exit_code == 0, done.output
    assert "dropped 4 of 5 entries, 1 of 3 rules" in done.output
    assert "    key                      file\n" in done.output
    assert "    deny key\n" in done.output
    small = load_case((file.parent / "case.reduced.toml").read_text("utf-8"), "small")
    assert (tree_of(small), rules_of(small)) == (["key file"], ["deny key", "deny key"])
    assert sorted(os.listdir(file.parent)) == ["case.reduced.toml", "case.toml"]


def test_a_minimal_case_stays_as_it_is(place: Place, file: Path) -> None:
    file.write_text(dump_case(make("key file", "deny key", "deny key", cwd="{farm}")), encoding="utf-8")
    done = drive(place, file)
    assert (done.exit_code, "it is minimal already" in done.output) == (0, True)
    assert os.listdir(file.parent) == ["case.toml"]


def test_the_output_can_be_named_and_the_search_cut_short(place: Place, file: Path) -> None:
    done = drive(place, file, "-o", str(file.parent / "out.toml"), "--limit=1")
    assert (done.exit_code, "the limit cut the search short" in done.output) == (0, True)
    assert (file.parent / "out.toml").is_file()


@pytest.mark.parametrize(
    ("text", "words", "said"),
    (
        (dump_case(PASSING), (), "MASK-2[given] does not fail"),
        ("format = 1\n", (), "case.toml:1: 'tree' is missing"),
        (dump_case(FAILING).replace("MASK-2", "MASK-99"), (), "'MASK-99' is no requirement"),
        (dump_case(FAILING), ("--helper=/nowhere/at-all",), "the helper '/nowhere/at-all' cannot be found"),
        (dump_case(FAILING), ("--helper-env=x",), "--helper-env=x sets no variable"),
        (dump_case(FAILING), ("-o", "/nowhere/out.toml"), "'/nowhere/out.toml' lies in no folder"),
        (dump_case(make("ws/", "rw ws", probes=("write /etc/x",))), (), "`write /etc/x` leaves the farm"),
    ),
    ids=["passes", "no-case", "requirement", "helper", "variable", "output", "leaves"],
)
def test_what_cannot_be_reduced_is_one_line(
    place: Place, file: Path, text: str, words: tuple[str, ...], said: str
) -> None:
    file.write_text(text, encoding="utf-8")
    done = drive(place, file, *words)
    (line,) = done.stderr.splitlines()
    assert (done.exit_code, said in line) == (2, True), line
    assert os.listdir(file.parent) == ["case.toml"]


def test_a_file_that_is_not_there_is_one_line(place: Place, tmp_path: Path) -> None:
    done = drive(place, tmp_path / "gone.toml")
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
