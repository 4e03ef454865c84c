# SPDX-License-Identifier: MIT
"""What released helpers came to, requirement by requirement: from reports to ``conformance/results.toml``.

``python -m tests.requirements.results REPORT.json...``

A release that is there already is replaced, others are kept. A requirement is left out where nothing was judged, and
where a finding is one to be reported in private first and no baseline with a public reference lists it: the file does
not tell the two apart.
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from boxproof.errors import BoxproofError
from boxproof.model.outcome import SECURITY, Verdict
from boxproof.model.result import Result
from boxproof.report.json import Report, Run
from boxproof.surface.files import read_report_file

FILE: Final = Path(__file__).parents[2] / "conformance" / "results.toml"
HEAD: Final = """\
# What released helpers came to on the host, by requirement: cases that passed, and that failed at each level.
# Written by `python -m tests.requirements.results REPORT.json...`; the pages of docs/reference/requirements show it.
# A requirement that is not listed was not judged, or is not published.
format = 1
"""
PRIVATE: Final = "not public yet"
"""The reason of what a baseline lists by digest."""
_FAILED: Final = frozenset({Verdict.FAIL, Verdict.FLAKY, Verdict.EXPECTED_FAIL})
_PASSED: Final = frozenset({Verdict.PASS, Verdict.UNEXPECTED_PASS})


@frozen
class Outcome:
    """What one release came to in one requirement.

    Args:
        passed: cases that passed.
        failed: cases that failed, by level.
        kinds: of the findings, the most frequent first.
    """

    passed: int
    failed: Mapping[str, int]
    kinds: tuple[str, ...]


@frozen
class Release:
    """One release that was run.

    Args:
        name: such as ``cursorsandbox-1.0.32-landlock``.
        date: of the run, as ISO 8601 writes a day.
        suite: the suite's version.
        host: kernel and engine.
        profile: what was run.
        outcomes: by requirement.
    """

    name: str
    date: str
    suite: str
    host: str
    profile: str
    outcomes: Mapping[str, Outcome]


def releases_of(report: Report) -> Iterator[Release]:
    """Iterate over the releases in a report."""
    bwrap = f", bubblewrap {report.host.bwrap.version}" if report.host.bwrap else ""
    for row in report.helpers:
        results = [each for each in report.results if each.helper == row.name and each.evidence == "host"]
        host = f"Linux {'.'.join(report.host.kernel.split('.')[:2])}{bwrap}"
        outcomes = dict(_outcomes(results))
        yield Release(
            _name(row.name, report.run), report.run.started[:10], report.run.suite, host, report.run.profile, outcomes
        )


def _name(helper: str, run: Run) -> str:
    """Return the name of a release, with the backend that was chosen by environment, as the vendors' matrix has it."""
    env = run.options.get("helper_env")
    return "-".join((helper, *env.values())) if isinstance(env, dict) else helper


def _outcomes(results: Sequence[Result]) -> Iterator[tuple[str, Outcome]]:
    for requirement in dict.fromkeys(result.requirement for result in results):
        own = [result for result in results if result.requirement == requirement]
        judged = [result for result in own if result.verdict in _FAILED | _PASSED]
        if judged and not any(map(_is_private, judged)):
            yield requirement, _outcome(judged)


def _is_private(result: Result) -> bool:
    """Tell whether a result shows what may not be told, as far as a baseline has not said that it is public."""
    public = result.verdict is Verdict.EXPECTED_FAIL and PRIVATE not in result.reason
    return not public and any(finding.kind in SECURITY for finding in result.findings)


def _outcome(judged: Sequence[Result]) -> Outcome:
    failed = [result for result in judged if result.verdict in _FAILED]
    kinds = Counter(kind for result in failed for kind in dict.fromkeys(finding.kind for finding in result.findings))
    levels = Counter[str](result.level for result in failed)
    order = sorted(kinds, key=lambda kind: (-kinds[kind], kind))
    return Outcome(len(judged) - len(failed), dict(levels), tuple(order))


def written(releases: Iterable[Release]) -> str:
    """Return the file."""
    return "\n".join([HEAD, *map(_release, sorted(releases, key=lambda release: release.name))])


def _release(release: Release) -> str:
    head = f'name = "{release.name}"\ndate = {release.date}\nsuite = "{release.suite}"\n'
    head += f'host = "{release.host}"\nprofile = "{release.profile}"\n'
    rows = "".join(f"{name} = {_line(outcome)}\n" for name, outcome in release.outcomes.items())
    return f"[[release]]\n{head}[release.outcomes]\n{rows}"


def _line(outcome: Outcome) -> str:
    words = [f"passed = {outcome.passed}", *(f"{level} = {count}" for level, count in outcome.failed.items())]
    kinds = ", ".join(f'"{kind}"' for kind in outcome.kinds)
    return f"{{ {', '.join([*words, *([f'kinds = [{kinds}]'] if kinds else [])])} }}"


def read(path: Path) -> tuple[Release, ...]:
    """Read the file; none is as good as an empty one."""
    if not path.is_file():
        return ()
    return tuple(map(_read, tomllib.loads(path.read_text(encoding="utf-8")).get("release", ())))


def _read(row: Mapping[str, Any]) -> Release:
    outcomes = {}
    for name, cells in row["outcomes"].items():
        failed = {level: count for level, count in cells.items() if level not in {"passed", "kinds"}}
        outcomes[name] = Outcome(cells["passed"], failed, tuple(cells.get("kinds", ())))
    return Release(**{**row, "date": row["date"].isoformat(), "outcomes": outcomes})


def main(names: Sequence[str]) -> int:
    """Take the releases of some reports into the file."""
    known = {release.name: release for release in read(FILE)}
    try:
        reports = [read_report_file(Path(name)) for name in names]
    except BoxproofError as error:
        sys.stderr.write(f"results: {error}\n")
        return 1
    known |= {release.name: release for report in reports for release in releases_of(report)}
    FILE.write_text(written(known.values()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
