# SPDX-License-Identifier: MIT
"""The parts of a reproducer that come from the case: its tree, and what the command tries."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from boxproof.model.names import FARM, UP
from boxproof.model.policy import spelled_at
from boxproof.model.probe import WITH_OTHER, Probe
from boxproof.model.resolve import Tree, resolve
from boxproof.model.topology import Dir, Entry, Fifo, File, HardLink, Link
from boxproof.report.checks import Checks
from boxproof.report.launches import document_name
from boxproof.report.recipe import BASE, PATH, PLACE, UP_FARM, Recipe
from boxproof.report.shelltests import WRITING
from boxproof.report.shellwords import NEWLINE, word

PROBED: Final = '/bin/sh -c "$probe" probe "$farm"'
"""What runs in the sandbox, as `recipe.COMMAND` has it."""
_SECONDS: Final = 30
_SHOWN: Final[Mapping[str, str]] = {
    "write": "echo {mark} >>{path}",
    "create": "echo {mark} >>{path}",
    "read": "read -r line <{path}",
    "truncate": "cp /dev/null {path}",
    "list": "ls {path} >/dev/null",
    "stat": "ls -d {path} >/dev/null",
    "remove": "rm {path}",
    "mkdir": "mkdir {path}",
    "chmod": "chmod 0777 {path}",
    "touch": "touch -c {path}",
    "rename": "mv -f -T {path} {other}",
    "link": "ln -T {path} {other}",
    "symlink": "ln -s -f -n {other} {path}",
    "exec": "{path} >/dev/null",
    "device": "echo >{path}",
}
"""What the shell does for each operation that a script can have."""


def build(recipe: Recipe, checks: Checks) -> Iterator[str]:
    """Iterate over the function that makes the tree anew, one line an entry, and stays in the working folder."""
    areas = "farm home tmp files outside"
    lines = [f'cd "$base" && rm -rf {areas} && mkdir {areas} && chmod 1777 tmp && cd farm']
    if any(isinstance(entry, Dir) and ~entry.mode & stat.S_IRWXU for entry in recipe.case.topology):
        lines = ['chmod -R u+rwX "$base"', *lines]
    lines += [_made(entry, number, recipe.variables) for number, entry in enumerate(recipe.case.topology, start=1)]
    for entry in reversed(recipe.case.topology.entries):
        if isinstance(entry, Dir | File) and entry.mode != type(entry)("x").mode:
            lines += [f"chmod {entry.mode:04o} {_name(entry.path)}"]
    lines += [f"mkdir -p {_name(marker)}" for marker in recipe.markers]
    lines += ["echo untouched >../outside/canary"] if checks.canary else []
    lines += _handed(recipe)
    lines += _working_folder(recipe)
    yield "build() {"
    yield from (f"  {line} &&" for line in lines[:-1])
    yield from (f"  {lines[-1]}{' || return' if 'cd ' in lines[-1] else ''}", "}")


def _made(entry: Entry, number: int, variables: Mapping[str, str]) -> str:
    name = _name(entry.path)
    match entry:
        case Dir():
            return f"mkdir {name}"
        case File():
            return f'echo "$salt.{number}" >{name}'
        case HardLink(of=of):
            return f"ln {_name(of)} {name}"
        case Fifo():
            return f"mkfifo {name}"
        case Link(text=text):
            return f"ln -s {'-- ' if text.startswith('-') else ''}{word(_text(entry.path, text), variables)} {name}"
    raise AssertionError(f"{entry} is refused before")


def _name(path: str) -> str:
    return word(f"./{path}" if path.startswith("-") else path, {})


def _text(path: str, text: str) -> str:
    """Return a link's text for a farm whose depth only the script knows."""
    return text.replace(FARM, PLACE).replace(UP, "../" * path.count("/") + UP_FARM)


def _handed(recipe: Recipe) -> Iterator[str]:
    """Iterate over the lines that make the files and links that the helper is handed."""
    starts = [start for start in (*recipe.starts, recipe.plain) if start]
    links = {name: text for start in starts for name, text in start.links.items()}
    for name, text in links.items():
        yield f"ln -s {word(text, recipe.variables)} {word(f'{BASE}/files/{name}', recipe.variables)}"
    files = dict.fromkeys(name for start in starts for name in start.files)
    for number, name in enumerate(files):
        variable, place = document_name(number), word(f"{BASE}/files/{name}", recipe.variables)
        yield f"""{{ [ -z "${{{variable}-}}" ] || printf '%s\\n' "${variable}" >{place}; }}"""


def _working_folder(recipe: Recipe) -> Iterator[str]:
    cwd = spelled_at(recipe.case.policy.cwd, PLACE)
    if cwd != PLACE and resolve(Tree(recipe.case.topology, PLACE), cwd).node == "folder":
        yield f"cd -P {word(cwd, recipe.variables)}"


def probe(recipe: Recipe, checks: Checks) -> Iterator[str]:
    """Iterate over the lines that set what the command runs."""
    inside = {PLACE: "farm", BASE: "base"}
    lines = [_tried(number, recipe.case.probes[number], checks, inside) for number in checks.probes]
    lines += ['echo "$1" >>"$base/outside/canary"'] if checks.canary else []
    yield "# what runs in the sandbox"
    if not lines:
        yield "probe='echo began; echo ended'"
        return
    text = "\n".join(lines)
    yield "probe=$(cat <<'EOF'"
    yield "farm=$1 base=${1%/*}; echo began" if re.search(r"\$\{?base\b", text) else "farm=$1; echo began"
    yield from ["nl='\n'"] if NEWLINE.search(text) else []
    yield from (*lines, "echo ended", "EOF", ")")


def mark(number: int, checks: Checks) -> str:
    """Return the line that a probe writes into a file: one that must not land anywhere says so."""
    return f"{'denied' if number in checks.forbidden else 'mark'}.{number + 1}"


def _tried(number: int, probe: Probe, checks: Checks, inside: Mapping[str, str]) -> str:
    path = probe.path if probe.path.startswith("./") else spelled_at(probe.path, PLACE)
    other = probe.other.replace(FARM, PLACE) if probe.operation == "symlink" else probe.other
    if probe.operation in WITH_OTHER - {"symlink"}:
        other = spelled_at(probe.other, PLACE)
    done = _SHOWN[probe.operation].format(path=word(path, inside), other=word(other, inside), mark=mark(number, checks))
    if number not in checks.control:
        return done
    said = "$line" if probe.operation == "read" else "ok"
    denied = number in checks.forbidden and probe.operation not in WRITING
    return f'{done} && echo "{"denied " if denied else ""}{number + 1} {said}"'


def run(recipe: Recipe, before: Sequence[str], *, whole: bool) -> Iterator[str]:
    """Iterate over the function that runs a command, with the probe as its last words, as the suite runs a helper.

    Args:
        recipe: the case.
        before: lines that note how the host is.
        whole: whether the command lines hold the probe already.
    """
    command = "" if whole else f" {PROBED}"
    yield "run() {"
    yield '  build || cannot "this tree cannot be built here"'
    yield from indented(before)
    yield f"  timeout -s KILL {round(recipe.seconds) or _SECONDS} env -i PATH={PATH} LANG=C.UTF-8 \\"
    # what runs in the background reads from /dev/null
    yield f'    HOME="$base/home" TMPDIR="$base/tmp" "$@"{command} >"$base/out" 2>"$base/err" &'
    yield '  child=$!; wait "$child"; status=$?; child='
    yield "}"


def indented(lines: Iterable[str]) -> Iterator[str]:
    """Iterate over lines as they stand in a function or loop."""
    return (f"  {line}" for line in lines)


def calls(name: str, text: str) -> bool:
    """Tell whether a script calls a function of its own."""
    return bool(re.search(rf"(?<![\w./-]){name}(?![\w./-])", text))
