# SPDX-License-Identifier: MIT
"""The parts of a reproducer that come from the case: its tree, the probe, and the helper's command line."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from boxproof.model.names import FARM, UP
from boxproof.model.policy import spelled_at
from boxproof.model.probe import WITH_OTHER, Probe
from boxproof.model.resolve import Tree, resolve
from boxproof.model.topology import Dir, Entry, Fifo, File, HardLink, Link
from boxproof.report.checks import Checks
from boxproof.report.embedded import embedded
from boxproof.report.recipe import BASE, FDS, PATH, PLACE, PROBE, UP_FARM, Recipe, Start
from boxproof.report.shellwords import NEWLINE, document, word

_SECONDS: Final = 30
_COLUMNS: Final = 110
_WIDE: Final = 300
"""Characters of a document from which on it is written on several lines."""


def build(recipe: Recipe, checks: Checks) -> Iterator[str]:
    """Iterate over the function that makes the tree anew, one line an entry."""
    variables = recipe.variables
    closed = any(isinstance(entry, Dir) and ~entry.mode & stat.S_IRWXU for entry in recipe.case.topology)
    lines = ['cd "$base" && { ! [ -e farm ] || chmod -R u+rwx farm; }'] if closed else []
    lines += ['cd "$base" && rm -rf farm home tmp files outside && mkdir farm home tmp files outside && chmod 1777 tmp']
    lines += ["echo untouched >outside/canary"] if checks.canary else []
    lines += ["cd farm"]
    lines += [_made(entry, number, variables) for number, entry in enumerate(recipe.case.topology, start=1)]
    for entry in reversed(recipe.case.topology.entries):
        if isinstance(entry, Dir | File) and entry.mode != type(entry)("x").mode:
            lines += [f"chmod {entry.mode:04o} {_name(entry.path)}"]
    lines += [f"mkdir -p {_name(marker)}" for marker in recipe.markers]
    yield "build() {"
    yield from (f"  {line} &&" for line in lines[:-1])
    yield from (f"  {lines[-1]}", "}")


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


def probe(recipe: Recipe, checks: Checks) -> Iterator[str]:
    """Iterate over the lines that set what the command runs."""
    inside = {PLACE: "farm", BASE: "base"}
    asked = [(number, recipe.case.probes[number]) for number in checks.probes]
    lines = [_question(number + 1, probe, inside) for number, probe in asked]
    lines += ['put 0 "$base/outside/canary"'] if checks.canary else []
    yield "# what runs in the sandbox"
    if not lines:
        yield "probe='echo began; echo ended'"
        return
    yield "probe=$(cat <<'EOF'"
    yield "farm=$1 base=${1%/*}; echo began" if any("base" in line for line in lines) else "farm=$1; echo began"
    text = "\n".join(lines)
    yield from (body for name, body in _INSIDE.items() if calls(name, text))
    yield from ["nl='\n'"] if NEWLINE.search(text) else []
    yield from (*lines, "echo ended", "EOF", ")")


_INSIDE: Final[Mapping[str, str]] = {
    "look": 'look() { line=; [ -f "$2" ] && { IFS= read -r line; } <"$2"; [ -z "$line" ] || echo "$1 $line"; }',
    "put": 'put() { [ ! -p "$2" ] && { echo "run.$1"; } >>"$2" && echo "$1 ok"; }',
    "try": 'try() { number=$1; shift; "$@" >/dev/null </dev/null && echo "$number ok"; }',
}


def _question(number: int, probe: Probe, inside: Mapping[str, str]) -> str:
    path = probe.path if probe.path.startswith("./") else spelled_at(probe.path, PLACE)
    first, second = word(path, inside), ""
    if probe.operation == "symlink":
        second = word(probe.other.replace(FARM, PLACE), inside)
    elif probe.operation in WITH_OTHER:
        second = word(spelled_at(probe.other, PLACE), inside)
    forms = {
        "read": f"look {number} {first}",
        "write": f"put {number} {first}",
        "create": f"put {number} {first}",
        "truncate": f"try {number} cp /dev/null {first}",
        "list": f"try {number} ls {first}",
        "stat": f"try {number} ls -d {first}",
        "remove": f"try {number} rm {first}",
        "mkdir": f"try {number} mkdir {first}",
        "chmod": f"try {number} chmod 0777 {first}",
        "touch": f"try {number} touch -c {first}",
        "rename": f"try {number} mv -f -T {first} {second}",
        "link": f"try {number} ln -T {first} {second}",
        "symlink": f"try {number} ln -s -f -n {second} {first}",
        "exec": f"try {number} {first}",
        "device": f"try {number} tee {first}",
    }
    return forms[probe.operation]


def run(recipe: Recipe) -> Iterator[str]:
    """Iterate over the function that runs a command as the suite runs a helper."""
    variables = recipe.variables
    cwd = spelled_at(recipe.case.policy.cwd, PLACE)
    found = resolve(Tree(recipe.case.topology, PLACE), cwd).node == "folder"
    yield "run() {"
    yield f'  cd -P {word(cwd if found else PLACE, variables)} || cannot "the working folder cannot be entered"'
    yield f"  timeout -s KILL {round(recipe.seconds) or _SECONDS} env -i PATH={PATH} \\"
    yield '    HOME="$base/home" TMPDIR="$base/tmp" LANG=C.UTF-8 "$@" </dev/null >"$base/out" 2>"$base/err" &'
    yield '  child=$!; wait "$child"; status=$?; child='
    yield "}"


def start(how: Start, variables: Mapping[str, str]) -> Iterator[str]:
    """Iterate over the lines that start the helper."""
    probes = embedded(how)
    for name, text in how.links.items():
        yield f"ln -s {word(text, variables)} {word(f'{BASE}/files/{name}', variables)}"
    for name, content in how.files.items():
        text = content.decode("utf-8", "surrogateescape")
        yield f"cat >{word(f'{BASE}/files/{name}', variables)} <<EOF"
        known = {**variables, PROBE: probes[text]} if text in probes else variables
        yield from (document(_on_lines(text.removesuffix("\n")), known), "EOF")
    numbers = dict(zip(map(str, how.null_fds), map(str, FDS), strict=False))
    documents = [argument for argument in how.argv if _is_document(argument, variables)]
    for number, text in enumerate(documents):
        yield f"{_document_name(number)}=$(cat <<EOF"
        yield from (document(_on_lines(text), variables), "EOF", ")")
    named = {text: f'"${_document_name(number)}"' for number, text in enumerate(documents)}
    inside = {text: {**variables, PROBE: name} for text, name in probes.items()}
    words = [named.get(each) or word(numbers.get(each, each), inside.get(each, variables)) for each in how.argv]
    env = [f"{name}={_value(name, value, variables)}" for name, value in how.env.items()]
    yield from _folded(
        ["run", *(["env", *env] if env else []), *words, *(f"{fd}</dev/null" for fd in numbers.values())]
    )


def _is_document(argument: str, variables: Mapping[str, str]) -> bool:
    return '"' in argument and any(place in argument for place in variables)


def _document_name(number: int) -> str:
    return f"policy{number or ''}"


def _on_lines(text: str) -> str:
    """Return a JSON document with each object of a list on a line of its own, anything else as it is."""
    lines = text.replace('[{"', '[\n  {"').replace('}, {"', '},\n  {"') if len(text) > _WIDE else text
    try:
        return lines if json.loads(lines) == json.loads(text) else text
    except ValueError:
        return text


def _value(name: str, value: str | None, variables: Mapping[str, str]) -> str:
    return f'"${{{name}-}}"' if value is None else word(value, variables)


def _folded(words: Sequence[str]) -> Iterator[str]:
    line = ""
    for each in words:
        if len(line) + len(each) > _COLUMNS and line:
            yield f"{line} \\"
            line = " "
        line += f" {each}" if line else each
    yield line


def calls(name: str, text: str) -> bool:
    """Tell whether a script calls a function of its own."""
    return bool(re.search(rf"(?<![\w./-]){name}(?![\w./-])", text))
