# SPDX-License-Identifier: MIT
"""A failing case as a script in POSIX sh that needs nothing but the helper: what a vendor runs in ten seconds.

It builds the tree in a fresh folder, starts the helper as the adapter did, and says in words what is wrong. Its status
is 1 while the fault is there, 0 when it is gone, 2 when it cannot tell. Whatever happens, it removes what it has made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from boxproof.model.names import UP
from boxproof.report.checks import Checks, checks_for
from boxproof.report.recipe import COMMAND, FDS, PLACE, Recipe
from boxproof.report.sections import build, calls, probe, run, start
from boxproof.report.shellwords import NEWLINE, message

_ATTEMPTS: Final = 5
"""Launches without the fault after which it is gone: a helper may well be one that fails now and then."""
_ATTEMPTS_FLAKY: Final = 20


def reproducer(recipe: Recipe) -> str:
    """Return the script, in ASCII."""
    checks = checks_for(recipe.case, recipe.findings, PLACE, recipe.variables)
    cannot = checks.cannot or _cannot_start(recipe)
    if cannot:
        return no_reproducer(cannot, _head(recipe))
    body = [*build(recipe, checks), *probe(recipe, checks), *run(recipe)]
    end = [*_functions(checks), *_controls(recipe, checks), *_attempts(recipe, checks), *_verdict(recipe)]
    if not any("$status" in line for line in end):
        body = [line.replace(" status=$?;", "") for line in body]
    return _text([*_head(recipe), *_prologue(recipe, "\n".join([*body, *end])), *body, *end])


def no_reproducer(why: str, head: Iterable[str] = ("#!/bin/sh",)) -> str:
    """Return a script that only says why there is none."""
    return _text([*head, f"echo {message(f'cannot tell: {why}; replay the case with boxproof')}", "exit 2"])


def _text(lines: Sequence[str]) -> str:
    return "\n".join([*lines, ""])


def _cannot_start(recipe: Recipe) -> str:
    if recipe.case.topology.above:
        where = f" of the layout {recipe.case.layout}" if recipe.case.layout else ""
        return f"the case is about paths{where} that a script cannot make"
    if not recipe.starts:
        return "the helper did not get as far as a launch that could be repeated"
    for each in recipe.starts:
        if each.argv[-len(COMMAND) :] != COMMAND:
            return "its command line is not made of words alone"
        if len(each.null_fds) > len(FDS) or any(str(fd) not in each.argv for fd in each.null_fds):
            return f"the helper needs descriptors beyond {FDS[-1]}, which not every shell has"
    if any(UP in text for probe in recipe.case.probes for text in (probe.path, probe.other)):
        return "a probe climbs above the root by a counted way"
    return ""


def _head(recipe: Recipe) -> Iterator[str]:
    yield "#!/bin/sh"
    for line in (f"{recipe.case.name}: {recipe.case.title}", *recipe.about):
        yield f"# {re.sub('[^ -~]', '?', line)}"
    yield "# Usage: sh reproduce.sh [HELPER]; status 1: the fault is there, 0: it is gone, 2: cannot tell"


def _prologue(recipe: Recipe, needs: str) -> Iterator[str]:
    default = f":-{recipe.default}" if recipe.default else "-"
    yield f"helper=${{1:-${{HELPER{default}}}}}"
    yield "LC_ALL=C; export LC_ALL; umask 022; unset CDPATH"
    yield """cannot() { echo "cannot tell: $1"; exit 2; }"""
    yield """[ -x "$helper" ] || cannot "no helper at '$helper': give its path, sh $0 /path/to/helper\""""
    yield 'helper=$(cd -P "$(dirname "$helper")" && pwd)/${helper##*/}'
    if re.search(r"\$\{?folder\b", needs):
        yield """folder=$(dirname "$(readlink -f "$helper")")"""
    if NEWLINE.search(needs):
        yield "nl='\n'"
    yield from _PLACE.splitlines()
    if re.search(r"\$\{?up\b", needs):
        yield """up=$(printf '%s/../..' "$farm" | sed 's|/[^/]*|../|g')"""
    yield from (line for name, text in _FUNCTIONS.items() if calls(name, needs) for line in text.splitlines())


_BUILD: Final = 'build || cannot "this tree cannot be built here"'
_PLACE: Final = """\
# a fresh folder, in no temp folder and below no .git: helpers treat both in ways of their own
suits() {
  place=$(cd -P "$1" 2>/dev/null && pwd) && [ -w "$place" ] || return 1
  case $place/ in /tmp/* | /var/tmp/* | /dev/shm/* | "${TMPDIR:-/tmp}"/* | *[\\"\\\\]*) return 1 ;; esac
  above=$place
  while [ ! -e "$above/.git" ]; do [ -n "$above" ] || return 0; above=${above%/*}; done
  return 1
}
suits "${HOME:-/}/.cache" || suits "$PWD" || suits "${HOME:-/}" ||
  cannot "no place for a farm: start it in a folder of yours that is no temp folder and no checkout"
base=$(mktemp -d "$place/boxproof-XXXXXX") || cannot "no folder can be made in $place"
child='' wrong='' gone='' farm=$base/farm salt=${base##*-}
trap '[ -z "$child" ] || kill "$child"; cd / && chmod -R u+rwx "$base" 2>/dev/null; rm -rf "$base"' EXIT
trap 'exit 2' HUP INT TERM
chmod 755 "$base\""""

_FUNCTIONS: Final[Mapping[str, str]] = {
    "present": """present() { [ -e "$1" ] || [ -L "$1" ]; }""",
    "facts": """\
facts() { # inode, mode, owner and content of a name
  stat -c '%i %f %u %g' "$1"
  if [ -L "$1" ]; then readlink "$1"; elif [ -f "$1" ]; then cksum <"$1"; fi
}""",
    "holding": """\
holding() { # the files that hold a line
  (cd "$base" && find farm home tmp outside -type f -exec grep -lsx "$1" {} + 2>/dev/null) | sort
}""",
    "leaked": """\
leaked() { # content that probe $1 must not read
  case $(answer "$1") in '') return 1 ;; *"$salt."*) ;; *) [ "$(answer "$1")" = "$(answer "$1" control)" ] ;; esac
}""",
}


def _functions(checks: Checks) -> Iterator[str]:
    yield 'wrong() { echo "wrong: $1"; wrong=yes; }'
    yield 'said() { grep -qx "$1" "$base/out"; }'
    text = "\n".join([*checks.always, *checks.ran])
    if "answer" in text or "leaked" in text or checks.control:
        yield """answer() { sed -n "s/^$1 //p" "$base/${2:-out}"; }"""
    if checks.control:
        yield 'works() { [ -n "$(answer "$1" control)" ] || cannot "probe $1 does not work without the helper"; }'
    if checks.refusable:
        yield "refused() {"
        yield '  [ "$status" -gt 0 ] && [ "$status" -lt 128 ] && [ -s "$base/err" ] && ! said began || return 1'
        yield "  ! grep -q -e 'panicked at' -e 'Traceback (most recent' \"$base/err\""
        yield "}"


def _controls(recipe: Recipe, checks: Checks) -> Iterator[str]:
    """Iterate over the lines without which nothing that follows would say anything about the helper."""
    if checks.probes or not recipe.plain:
        yield _BUILD
        yield 'run /bin/sh -c "$probe" probe "$farm"; mv "$base/out" "$base/control"'
        yield 'grep -qx ended "$base/control" || cannot "the probe does not run without the helper"'
        yield from (f"works {number + 1}" for number in checks.control)
    if checks.plain and recipe.plain:
        yield "# first the plainest policy: does the helper start at all, and take this command line?"
        yield _BUILD
        yield from start(recipe.plain, recipe.variables)
        yield """said ended || cannot "it does not start with the plainest policy either: $(head -n 1 "$base/err")\""""


def _attempts(recipe: Recipe, checks: Checks) -> Iterator[str]:
    limit = _ATTEMPTS_FLAKY if recipe.flaky else _ATTEMPTS
    yield f"# {recipe.case.name}{': the fault does not show in every launch' if recipe.flaky else ''}"
    yield f'tries=0; while [ "$tries" -lt {limit} ] && [ -z "$wrong" ]; do tries=$((tries + 1))'
    yield _BUILD
    yield from checks.before
    yield from _launches(recipe)
    yield from checks.always
    if checks.refusable:
        yield """if [ -z "$wrong" ] && refused; then gone='it refuses the policy, which is allowed'; continue; fi"""
    if checks.launch:
        yield 'said ended || wrong "the command did not run to its end; the helper\'s status is $status"'
    else:
        yield """said ended || [ -n "$wrong" ] || cannot "the command did not run: $(head -n 1 "$base/err")\""""
    yield from checks.ran
    yield "done"


def _launches(recipe: Recipe) -> Iterator[str]:
    first, *others = recipe.starts
    if not others:
        yield from start(first, recipe.variables)
        return
    yield "if [ $((tries % 2)) -eq 0 ]; then"
    yield from start(first, recipe.variables)
    yield "else"
    yield from start(others[0], recipe.variables)
    yield "fi"


def _verdict(recipe: Recipe) -> Iterator[str]:
    yield 'if [ -n "$wrong" ]; then'
    yield """  tr -cd '\\11\\12\\40-\\176' <"$base/err" | head -n 8 | sed 's/^/  stderr: /'"""
    yield "  exit 1"
    yield "fi"
    if recipe.flaky:
        yield f"cannot 'it did not show in {_ATTEMPTS_FLAKY} launches'"
    else:
        yield 'echo "the fault is gone${gone:+: $gone}"'
