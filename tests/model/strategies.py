# SPDX-License-Identifier: MIT
"""Hypothesis strategies for names and farms, any that the values allow."""

from __future__ import annotations

import os

from hypothesis import strategies as st

from boxproof.model.topology import Dir, Entry, Fifo, File, HardLink, Link, Mount, Socket, Topology

BYTES = st.binary(min_size=1, max_size=12).filter(lambda raw: b"\0" not in raw)
TEXTS = st.one_of(
    BYTES.map(os.fsdecode),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12),
    st.sampled_from(["{farm}", "{up}", "{farm}/x y", "{up}a:b", "\\x20", "{", "->", "#", "=", "a\u2028b", "\x85"]),
)
NAMES = TEXTS.map(lambda text: text.replace("/", "_").replace("{farm}", "farm")).filter(lambda n: n not in {".", ".."})
MODES = st.integers(0, 0o7777)


@st.composite
def topologies(draw: st.DrawFn) -> Topology:
    """Draw a farm with up to eight entries, each of any kind that fits."""
    entries: dict[str, Entry] = {}
    for name in draw(st.lists(NAMES, max_size=8)):
        folder = draw(st.sampled_from(["", *_paths(entries, Dir | Mount)]))
        path = f"{folder}/{name}" if folder else name
        if path not in entries:
            entries[path] = draw(_entry(path, entries))
    return Topology(tuple(entries.values()))


def _entry(path: str, entries: dict[str, Entry]) -> st.SearchStrategy[Entry]:
    files, folders = _paths(entries, File | HardLink), _paths(entries, Dir | Mount)
    kinds: list[st.SearchStrategy[Entry]] = [
        st.builds(Dir, st.just(path), MODES),
        st.builds(File, st.just(path), MODES),
        st.builds(Link, st.just(path), TEXTS),
        st.builds(Socket, st.just(path), st.booleans()),
        st.just(Fifo(path)),
        st.just(Mount(path)),
    ]
    if files:
        kinds.append(st.builds(HardLink, st.just(path), st.sampled_from(files)))
    if folders:
        kinds.append(st.builds(Mount, st.just(path), st.just("bind"), st.sampled_from(folders)))
    return st.one_of(kinds)


def _paths(entries: dict[str, Entry], kind: type | object) -> list[str]:
    return [path for path, entry in entries.items() if isinstance(entry, kind)]  # type: ignore[arg-type]
