# SPDX-License-Identifier: MIT
"""The JSON report: one value for a whole run, written in one piece and read back strictly.

``report.schema.json`` beside this module is its published shape (JSON Schema 2020-12). Keys may be added under format
1, so readers pass over those that they do not know.
"""

from __future__ import annotations

import json
import os
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.resources import files
from typing import Any, Final

from attrs import field, fields_dict, frozen
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from boxproof.errors import ReportError
from boxproof.model.host import Bwrap, Host
from boxproof.model.outcome import Finding, Verdict
from boxproof.model.result import EVIDENCE, Evidence, Result, Shown, SmallestCase
from boxproof.report.plain import Json, plain

FORMAT: Final = 1
_LISTS: Final = ("unmet", "notes", "requirements")
_SHOWN: Final = 200
"""Characters of a complaint about a report that are shown: it quotes the value, which may be a whole report."""


@frozen
class Run:
    """How the suite was run.

    Args:
        suite: the suite's version.
        started: ISO 8601 with the offset from UTC.
        seconds: wall time.
        profile: as ``--profile`` takes it.
        met: whether the profile is met.
        python: version.
        pytest: version.
        options: those that change what is run, by name.
        unmet: why the profile is not met, one sentence each.
        notes: what else is to be said, such as entries of the baseline that have expired.
        shard: which part of the cases was run, such as ``2/5``; ``""`` for all.
        partial: whether the user selected a part of the suite otherwise.
        requirements: those that have cases, run or not.
    """

    suite: str
    started: str
    seconds: float
    profile: str
    met: bool
    python: str
    pytest: str
    options: Mapping[str, object] = field(factory=dict)
    unmet: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    shard: str = ""
    partial: bool = False
    requirements: tuple[str, ...] = ()


@frozen
class HelperRow:
    """One helper under test; `capabilities` are those that its adapter claims for it."""

    name: str
    path: str
    sha256: str
    version: str
    adapter: str
    capabilities: tuple[str, ...] = ()


@frozen
class GroundRow:
    """One place that cases were run in.

    Args:
        given: as ``--ground`` takes it.
        about: what else there is to say of it, by short keys.
    """

    name: str
    given: str
    evidence: Evidence
    about: Mapping[str, str] = field(factory=dict)


@frozen
class Report:
    """A whole run; results in the order in which they were collected."""

    run: Run
    host: Host
    helpers: tuple[HelperRow, ...]
    results: tuple[Result, ...]
    grounds: tuple[GroundRow, ...] = ()

    def as_json(self) -> dict[str, Json]:
        """Return the report in plain JSON types, valid by the published schema."""
        return {
            "format": FORMAT,
            "run": plain(self.run),
            "host": plain(self.host),
            "helpers": plain(self.helpers),
            "grounds": plain(self.grounds),
            "summary": summary(self.results),
            "results": [dict_of_result(result) for result in self.results],
        }


def summary(results: Iterable[Result]) -> dict[str, Json]:
    """Count verdicts: by evidence; and of the strongest evidence in the run in all and by requirement, with refusals.

    Counts of different evidence are never added up: a layout shows names and links, and is no distribution.
    """
    rows = tuple(results)
    kinds = {result.evidence for result in rows}
    strongest = next((evidence for evidence in EVIDENCE if evidence in kinds), EVIDENCE[0])
    own = [result for result in rows if result.evidence == strongest]
    refused = Counter(r.requirement for r in own if r.verdict is Verdict.PASS and r.launch == "refused")
    total = Counter(result.verdict for result in own)
    return {
        "evidence": strongest,
        **{verdict.value: total[verdict] for verdict in Verdict},
        "by_requirement": _counted((result.requirement, result.verdict.value) for result in own),
        "by_evidence": _counted((result.evidence, result.verdict.value) for result in rows),
        "refused": dict(refused),
    }


def dict_of_result(result: Result) -> dict[str, Json]:
    r"""Return a result in plain JSON types, fit for a report and for the way from an xdist worker.

    A byte that is not UTF-8 becomes the text ``\xNN``, since neither JSON's readers nor execnet can be trusted with an
    unpaired surrogate.
    """
    return {name: plain(getattr(result, name)) for name in fields_dict(Result)}


def result_from_dict(data: Mapping[str, Any]) -> Result:
    """Return the result that `dict_of_result` wrote, keys of later versions left out."""
    known = _known(Result, data)
    findings = tuple(Finding(**_known(Finding, finding)) for finding in data["findings"])
    bugs = tuple(map(_bug, data.get("bugs", ())))
    row = data.get("shown")
    shown = Shown(**_known(Shown, row, stderr=tuple(row["stderr"]))) if row else None
    return Result(**{**known, "verdict": Verdict(data["verdict"]), "findings": findings, "bugs": bugs, "shown": shown})


def write_report(report: Report, path: str) -> None:
    """Write the report as JSON, whole or not at all.

    Raises:
        ReportError: where it cannot be written.
    """
    write_text(json_text(report), path)


def json_text(report: Report) -> str:
    """Return the report as JSON."""
    return json.dumps(report.as_json(), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def write_text(text: str, path: str) -> None:
    """Write a report so that at `path` there is the old file, or all of the new one.

    Raises:
        ReportError: where it cannot be written.
    """
    try:
        _write(text, os.path.realpath(path))
    except OSError as error:
        cure = "name a file in a folder that is there"
        raise ReportError(f"the report '{path}' cannot be written", cause=str(error.strerror), cure=cure) from None


def read_report(text: str, name: str) -> Report:
    """Read a report, and refuse one that the published schema does not allow.

    Args:
        text: the file, decoded with ``surrogateescape``.
        name: the file's name, for messages.

    Raises:
        ReportError: naming the file and the value that is wrong.
    """
    data = _valid(_parsed(text, name), name)
    host = data["host"]
    bwrap = Bwrap(**_known(Bwrap, host["bwrap"])) if host["bwrap"] else None
    return Report(
        run=Run(**_known(Run, data["run"], **{key: tuple(data["run"].get(key, ())) for key in _LISTS})),
        host=Host(**_known(Host, host, lsm=tuple(host["lsm"]), bwrap=bwrap)),
        helpers=tuple(
            HelperRow(**_known(HelperRow, row, capabilities=tuple(row["capabilities"]))) for row in data["helpers"]
        ),
        results=tuple(map(result_from_dict, data["results"])),
        grounds=tuple(GroundRow(**_known(GroundRow, row)) for row in data.get("grounds", ())),
    )


def schema() -> dict[str, Any]:
    """Return the published JSON Schema."""
    loaded: dict[str, Any] = json.loads(files("boxproof.report").joinpath("report.schema.json").read_text("utf-8"))
    return loaded


def _parsed(text: str, name: str) -> object:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise ReportError(f"{name} is no report", cause="it is nested too deeply") from None
    except ValueError as error:
        cure = "name a .json file that Boxproof wrote"
        raise ReportError(f"{name} is no report", cause=str(error), cure=cure) from None


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def _valid(data: object, name: str) -> dict[str, Any]:
    wrong = best_match(Draft202012Validator(schema()).iter_errors(data))
    if wrong is not None:
        where = wrong.json_path.removeprefix("$").removeprefix(".") or "the whole"
        raise ReportError(f"{name} is no report of format {FORMAT}", cause=f"{where}: {wrong.message[:_SHOWN]}")
    return data if isinstance(data, dict) else {}


def _bug(data: Mapping[str, Any]) -> SmallestCase:
    lists = {"kinds": tuple(data["kinds"]), "stderr": tuple(data.get("stderr", ()))}
    return SmallestCase(**_known(SmallestCase, data, **lists))


def _known(kind: type, data: Mapping[str, Any], **converted: object) -> dict[str, Any]:
    return {name: value for name, value in {**data, **converted}.items() if name in fields_dict(kind)}


def _counted(pairs: Iterable[tuple[str, str]]) -> dict[str, Json]:
    counts: dict[str, Counter[str]] = {}
    for key, verdict in pairs:
        counts.setdefault(key, Counter())[verdict] += 1
    return {key: dict(count) for key, count in counts.items()}


def _write(text: str, path: str) -> None:
    if os.path.exists(path) and not os.path.isfile(path):
        # A pipe, a terminal: renaming over it would put a file in its place.
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        return
    beside = f"{path}.{secrets.token_hex(4)}"
    try:
        with open(beside, "x", encoding="utf-8") as stream:
            stream.write(text)
        os.replace(beside, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(beside)
