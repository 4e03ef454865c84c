# SPDX-License-Identifier: MIT
"""The model beside the kernel: the same questions to both, and where they differ."""

from __future__ import annotations

import os
from collections import Counter

from attrs import Factory, define

from boxproof.model.names import escape
from boxproof.model.resolve import Resolution, Tree, resolve
from boxproof.model.tree import format_tree
from tests.model.generate import Asked, Generator
from tests.model.kernel import asked, created, on_disk, opened


@define
class Tally:
    """How often each answer was given, what became of each ``O_CREAT``, and every difference."""

    answers: Counter[str] = Factory(Counter)
    creates: Counter[str] = Factory(Counter)
    differences: list[str] = Factory(list)


def compare(farm: str, drawn: Generator, topologies: int, *, privileged: bool) -> Tally:
    """Ask both 40 questions about each topology, made one after the other in the empty folder `farm`."""
    tally = Tally()
    for _ in range(topologies):
        topology = drawn.topology()
        tree = Tree(topology, farm, privileged)
        with on_disk(tree):
            for question in drawn.questions(topology, 40):
                _compare_one(tree, question, tally)
    return tally


def _compare_one(tree: Tree, question: Asked, tally: Tally) -> None:
    start = f"{tree.farm}/{question.folder}".rstrip("/")
    if resolve(tree, start).error:
        return
    path = tree.expand(question.text, start)
    model = resolve(tree, path, cwd=start, follow=question.follow)
    with opened(start) as folder:
        seen = asked(path, folder, follow=question.follow)
        differing = _walk_differs(model, seen, tally)
        # A model that is wrong must not lead a write out of the farm: the kernel's own answer has to agree first.
        if not differing and model.error != "outside":
            made = created(path, folder, follow=question.follow)
            differing = _create_differs(tree, model, made, tally)
    if differing:
        asked_as = f"'{escape(question.text)}' from '{escape(question.folder)}', follow={question.follow}"
        tally.differences.append(f"{differing}: {asked_as}\n{format_tree(tree.topology)}")


def _walk_differs(model: Resolution, seen: tuple[str, str, str], tally: Tally) -> str:
    # What the model does not know lies above the farm, where no generated name exists.
    expected = ("ENOENT", "", "") if model.error == "outside" else (model.error, model.real, model.node)
    tally.answers[model.error or model.node] += 1
    return "" if seen == expected else f"model {expected}, kernel {seen}"


def _create_differs(tree: Tree, model: Resolution, opened_as: tuple[str, str], tally: Tally) -> str:
    error, real = opened_as
    made = "" if real in tree.nodes else real
    if made:
        os.unlink(made)
    tally.creates["made" if made else error] += 1
    refused = bool(model.creatable) and not tree.writable(os.path.dirname(model.creatable))
    expected = ("EACCES", "") if refused else (error, model.creatable)
    return "" if (error, made) == expected else f"model would make '{model.creatable}', kernel made '{made}' {error}"
