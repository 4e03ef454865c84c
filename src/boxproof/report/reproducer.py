# SPDX-License-Identifier: MIT
"""A failing case as a script in POSIX sh that needs nothing but the helper: what a vendor runs in ten seconds.

It builds the tree in a fresh folder, starts the helper as the adapter did, and says in words what is wrong. Its status
is 1 while the fault is there, 0 when it is gone, 2 when it cannot tell. Whatever happens, it removes what it has made.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from boxproof.model.case import Case
from boxproof.model.names import UP
from boxproof.model.relations import WORDS
from boxproof.report.checks import Checks, checks_for
from boxproof.report.embedded import is_embedded, prepared
from boxproof.report.launches import documents, launch
from boxproof.report.recipe import COMMAND, FDS, PLACE, Recipe
from boxproof.report.sections import PROBED, build, calls, indented, probe, run
from boxproof.report.shellwords import NEWLINE, message

_ATTEMPTS: Final = 5
"""Launches without the fault after which it is gone: a helper may well be one that fails now and then."""
_ATTEMPTS_FLAKY: Final = 20
_WIDTH: Final = 240
"""Characters of a line of the head; a requirement can be a paragraph."""


def reproducer(recipe: Recipe) -> str:
    """Return the script, in ASCII."""
    checks = checks_for(recipe.case, recipe.findings, PLACE, recipe.variables)
    cannot = checks.cannot or _beyond_scripts(recipe.case) or _cannot_start(recipe)
    if cannot:
        return no_reproducer(cannot, _head(recipe))
    whole = any(map(is_embedded, recipe.starts))
    starts = [*recipe.starts, *([recipe.plain] if recipe.plain else [])]
    body = [*build(recipe, checks), *probe(recipe, checks), *prepared(starts), *run(recipe, checks.before, whole=whole)]
    end = [*_control(checks, whole=whole), *(_plain(recipe) if checks.plain else ()), *_attempts(recipe, checks)]
    if not any("$status" in line or "refused" in line for line in end):
        body = [line.replace(" status=$?;", "") for line in body]
    return _text([*_head(recipe), *_prologue(recipe, "\n".join([*body, *end])), *body, *end])


def no_reproducer(why: str, head: Iterable[str] = ("#!/bin/sh",)) -> str:
    """Return a script that only says why there is none."""
    return _text([*head, f"echo {message(f'cannot tell: {why}; replay the case with boxproof')}", "exit 2"])


def _text(lines: Sequence[str]) -> str:
    return "\n".join([*lines, ""])


def _beyond_scripts(case: Case) -> str:
    """Return what of a case no script can bring about, or ``""``."""
    if case.topology.above:
        where = f" of the layout {case.layout}" if case.layout else ""
        return f"the case is about paths{where} that a script cannot make"
    if case.condition:
        return f"the case is about a host with '{case.condition}', which a script cannot simulate"
    if any(UP in text for probe in case.probes for text in (probe.path, probe.other)):
        return "a probe climbs above the root by a counted way"
    return ""


def _cannot_start(recipe: Recipe) -> str:
    if not recipe.starts:
        return "the helper did not get as far as a launch that could be repeated"
    if len(recipe.starts) < bool(recipe.case.relation) + 1:
        return "there are no words for the second policy"
    for each in recipe.starts:
        if each.argv[-len(COMMAND) :] != COMMAND and not is_embedded(each):
            return "its command line is not made of words alone"
        if len(each.null_fds) > len(FDS) or any(str(fd) not in each.argv for fd in each.null_fds):
            return f"the helper needs descriptors beyond {FDS[-1]}, which not every shell has"
    return ""


def _head(recipe: Recipe) -> Iterator[str]:
    yield "#!/bin/sh"
    for line in (f"{recipe.case.name}: {recipe.statement}", *recipe.about):
        yield f"# {textwrap.shorten(re.sub('[^ -~]', '?', line), _WIDTH, placeholder=' ...')}"
    yield "# Usage: sh reproduce.sh [HELPER [FOLDER]]; status 1: the fault is there, 0: it is gone, 2: cannot tell"


def _prologue(recipe: Recipe, needs: str) -> Iterator[str]:
    given = f"${{1:-${{HELPER{f':-{recipe.default}' if recipe.default else '-'}}}}}"
    yield f"helper={given} child='' LC_ALL=C; export LC_ALL; umask 022; unset CDPATH"
    yield """cannot() { echo "cannot tell: $1"; exit 2; }"""
    yield """[ -x "$helper" ] || cannot "no helper at '$helper': give its path, sh $0 /path/to/helper\""""
    yield 'helper=$(cd -P "$(dirname "$helper")" && pwd)/${helper##*/}'
    yield from _PLACE.replace("@salt", " salt=${base##*-}" if "$salt" in needs else "").splitlines()
    if re.search(r"\$\{?folder\b", needs):
        yield """folder=$(dirname "$(readlink -f "$helper")")"""
    if NEWLINE.search(needs):
        yield "nl='\n'"
    if re.search(r"\$\{?up\b", needs):
        yield """up=$(printf '%s/../..' "$farm" | sed 's|/[^/]*|../|g')"""
    if calls("outcome", needs):
        needs += _FUNCTIONS["outcome"]
    yield from (line for name, text in _FUNCTIONS.items() if calls(name, needs) for line in text.splitlines())


_PLACE: Final = """\
# the farm lies in no temp folder and below no .git: helpers treat both in ways of their own
place=$(cd -P "${2:-${HOME:-.}}" && pwd) above=$place
until [ -z "$above" ] || [ -e "$above/.git" ]; do above=${above%/*}; done
case $above:$place/ in :/tmp/* | :/var/tmp/* | /* | *[\\"\\\\]*) cannot "name another folder than '$place'" ;; esac
base=$(mktemp -d "$place/boxproof-XXXXXX") farm=$base/farm@salt || cannot "no folder can be made in '$place'"
trap 'cd / && chmod -R u+rwX "$base" && rm -rf "$base"' EXIT
trap '[ -z "$child" ] || { kill "$child"; wait "$child"; }; exit 2' HUP INT TERM"""

_FUNCTIONS: Final[Mapping[str, str]] = {
    "wrong": """wrong() { echo "wrong: $1"; head -n 8 "$base/err" | tr -cd '\\11\\12\\40-\\176'; exit 1; }""",
    "said": """said() { grep -qx "$1" "$base/out"; }""",
    "present": """present() { [ -e "$1" ] || [ -L "$1" ]; }""",
    "facts": """\
facts() { # inode, mode, owner and content of a name
  stat -c '%i %f %u %g' "$1"
  if [ -L "$1" ]; then readlink "$1"; elif [ -f "$1" ]; then cksum <"$1"; fi
}""",
    "holding": """\
# the files that hold a line
holding() { find "$base/farm" "$base/home" "$base/tmp" "$base/outside" -type f -exec grep -lsx "$1" {} + | sort; }""",
    "outcome": """\
# what came of the probes, by whatever spelling
outcome() { { sed 's/^[0-9]* //' "$base/out"; holding 'mark.*'; } | sort -u; }""",
    "refused": """\
refused() { # the command has not run, the status says so, and stderr has a reason that is no backtrace
  ! said began && [ "$status" -gt 0 ] && [ "$status" -lt 128 ] && grep -q . "$base/err" &&
    ! grep -q -e 'panicked at' -e 'Traceback (most recent' "$base/err"
}""",
}


def _control(checks: Checks, *, whole: bool) -> Iterator[str]:
    """Iterate over the line without which nothing that follows would say anything about the helper."""
    command = f" {PROBED}" if whole else ""
    worked = f'[ "$(grep -c "[0-9]" "$base/out")" -ge {len(checks.control)} ]' if checks.control else "said ended"
    yield f'run{command}; {worked} || cannot "the probe does not work without the helper: $(cat "$base/err")"'


def _plain(recipe: Recipe) -> Iterator[str]:
    if recipe.plain:
        yield "# first the plainest policy: does the helper start at all, and take this command line?"
        yield from documents(recipe.plain, recipe.variables)
        yield from launch(recipe.plain, recipe.variables)
        yield """said ended || cannot "it does not start with the plainest policy either: $(head -n 1 "$base/err")\""""


def _attempts(recipe: Recipe, checks: Checks) -> Iterator[str]:
    limit = _ATTEMPTS_FLAKY if recipe.flaky else _ATTEMPTS
    if checks.related:
        yield from _compared(recipe)
        return
    first, *others = recipe.starts
    yield f"# then the policy in question{': the fault does not show in every launch' if recipe.flaky else ''}"
    yield from () if others else documents(first, recipe.variables)
    yield f'tries=0; while [ "$tries" -lt {limit} ]; do tries=$((tries + 1))'
    yield from _in_turn(recipe) if others else indented(launch(first, recipe.variables))
    yield from indented(checks.always)
    if checks.refusable:
        yield "  if refused; then allowed=': it refuses the policy, which is allowed'; continue; fi"
    if checks.launch:
        yield '  said ended || wrong "the command did not run to its end; the status of the helper is $status"'
    else:
        yield """  said ended || cannot "the command did not run: $(head -n 1 "$base/err")\""""
    yield from indented(checks.ran)
    yield "done"
    if recipe.flaky:
        yield f"cannot 'it did not show in {_ATTEMPTS_FLAKY} launches'"
    else:
        yield f'echo "the fault is gone{"${allowed-}" if checks.refusable else ""}"'


def _compared(recipe: Recipe) -> Iterator[str]:
    """Iterate over the lines that start the helper under two policies that mean the same."""
    one, other = recipe.starts
    yield f"# then two policies that mean the same: the one in question, and {WORDS[recipe.case.relation]}"
    yield f'tries=0; while [ "$tries" -lt {_ATTEMPTS_FLAKY if recipe.flaky else _ATTEMPTS} ]; do tries=$((tries + 1))'
    yield from (*documents(one, recipe.variables), *indented(launch(one, recipe.variables)), "  outcome=$(outcome)")
    yield from (*documents(other, recipe.variables), *indented(launch(other, recipe.variables)))
    yield """  [ "$(outcome)" = "$outcome" ] || wrong 'the two come to different outcomes'"""
    yield "done"
    yield 'echo "the fault is gone"'


def _in_turn(recipe: Recipe) -> Iterator[str]:
    """Iterate over the lines that start the helper in each of two ways by turns."""
    words = ("if [ $((tries % 2)) -eq 0 ]; then", "else")
    for condition, start in zip(words, recipe.starts, strict=True):
        yield f"  {condition}"
        yield from (*documents(start, recipe.variables), *indented(launch(start, recipe.variables)))
    yield "  fi"
