# SPDX-License-Identifier: MIT
"""A rule acts on what its spelling leads to, and the most specific rule wins (BIND, NEST)."""

from __future__ import annotations

import itertools
import os

import pytest

from .harness import CROSSED, Farm, Helper, policy

LINKS = ["absolute", "relative", "surplus", "chain", "long-chain", "mixed", "linked-parent"]


def spelled(farm: Farm, shape: str, target: str) -> str:
    """A spelling that leads to `target`, a name in the farm, by links of the given shape outside of its folder."""
    farm.folder("links")
    if shape == "absolute":
        return farm.link("links/l", farm.path(target))
    if shape == "relative":
        return farm.link("links/l", f"../{target}")
    if shape == "surplus":
        return farm.link("links/l", "../" * 30 + farm.path(target).lstrip("/"))
    if shape == "linked-parent":
        farm.link("links/p", farm.path(os.path.dirname(target)))
        return farm.path(f"links/p/{os.path.basename(target)}")
    steps = {"chain": 2, "long-chain": 20, "mixed": 3}[shape]
    farm.link("links/l0", farm.path(target))
    for number in range(1, steps):
        text = f"l{number - 1}" if shape != "mixed" or number % 2 else farm.path(f"links/l{number - 1}")
        farm.link(f"links/l{number}", text)
    return farm.path(f"links/l{steps - 1}")


@pytest.mark.parametrize(("caller", "bwrap"), CROSSED, indirect=True)
@pytest.mark.parametrize("shape", LINKS)
@pytest.mark.parametrize("kind", ("file", "folder"))
@pytest.mark.parametrize("access", ("ro", "rw"))
@pytest.mark.parametrize("reads", ("everything", "listed"))
def test_a_rule_through_links_acts_on_the_object(  # noqa: PLR0913, PLR0917 - four dimensions of one statement
    farm: Farm, helper: Helper, shape: str, kind: str, access: str, reads: str
) -> None:
    real, neighbour = farm.file("real/d/f"), farm.file("real/d2/f")
    token, other = farm.read(real), farm.read(neighbour)
    farm.file("ws/f")
    name = spelled(farm, shape, "real/d" if kind == "folder" else "real/d/f")
    probe = f"{name}/f" if kind == "folder" else name
    rules = policy(farm.path("ws"), [(access, name), ("rw", farm.path("ws"))], reads=reads)
    done = helper.sh(rules, 'cat -- "$1"; cat -- "$2"; cat -- "$3"; echo new > "$2"; echo end', neighbour, probe, real)
    assert done.out.count(token) == 2, "the rule's own spelling and the real path both show the object"
    assert (other in done.out) == (reads == "everything")
    assert done.out.endswith(b"end\n")
    assert farm.read(real) == (b"new" if access == "rw" else token)


def test_more_links_than_the_kernel_follows_lead_nowhere(farm: Farm, helper: Helper) -> None:
    farm.file("ws/f")
    farm.file("real")
    farm.link("l1", "real")
    for number in range(2, 42):
        farm.link(f"l{number}", f"l{number - 1}")
    rules = policy(farm.path("ws"), [("rw", farm.path("l40")), ("ro", farm.path("ws"))])
    assert helper.sh(rules, 'echo new > "$1"', farm.path("l40")).status == 0
    assert farm.read(farm.path("real")) == b"new"
    rules = policy(farm.path("ws"), [("rw", farm.path("l41")), ("ro", farm.path("ws"))])
    assert helper.sh(rules, 'echo bad > "$1"', farm.path("real")).status != 0
    assert farm.read(farm.path("real")) == b"new"


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_several_spellings_of_one_object_are_one_rule(farm: Farm, helper: Helper, order: tuple[int, ...]) -> None:
    real = farm.file("pki/bundle.pem")
    token = farm.read(real)
    farm.file("ws/f")
    farm.link("ssl", farm.path("pki"))
    farm.link("cert.pem", "ssl/bundle.pem")
    names = [real, farm.path("ssl/bundle.pem"), farm.path("cert.pem")]
    rules = policy(farm.path("ws"), [("ro", names[place]) for place in order] * 2, reads="listed")
    done = helper.sh(policy(farm.path("ws"), [*[("ro", names[p]) for p in order], ("ro", farm.path("ws"))]), "echo end")
    assert done.out == b"end\n"
    rules["rules"] = [*rules["rules"], {"path": farm.path("ws"), "access": "ro"}]  # type: ignore[misc]
    assert helper.sh(rules, 'cat -- "$@"', *names).out.count(token) == 3


@pytest.mark.parametrize(("caller", "bwrap"), CROSSED, indirect=True)
@pytest.mark.parametrize("accesses", list(itertools.permutations(["deny", "ro", "rw"], 2)))
@pytest.mark.parametrize("kind", ("file", "folder"))
def test_of_several_accesses_the_strictest_holds(
    farm: Farm, helper: Helper, accesses: tuple[str, str], kind: str
) -> None:
    real = farm.file("d/f")
    token = farm.read(real)
    farm.file("ws/f")
    farm.link("alias", farm.path("d/f" if kind == "file" else "d"))
    thing = real if kind == "file" else farm.path("d")
    rules = policy(farm.path("ws"), [(accesses[0], thing), (accesses[1], farm.path("alias")), ("rw", farm.path("ws"))])
    done = helper.sh(rules, 'cat -- "$1"; echo new > "$1"; echo end', real)
    assert done.out.endswith(b"end\n")
    assert (token in done.out) == ("deny" not in accesses)
    assert farm.read(real) == token


@pytest.mark.parametrize(
    ("noise", "means"),
    (
        ("{}//d/./f", "d/f"),
        ("{}/d/../d/f", "d/f"),
        ("{}/link/../g", "other/g"),
        ("/../..{}/d/f", "d/f"),
    ),
)
@pytest.mark.parametrize("access", ("rw", "deny"))
def test_noise_in_a_spelling_means_what_the_kernel_makes_of_it(
    farm: Farm, helper: Helper, noise: str, means: str, access: str
) -> None:
    farm.file("ws/f")
    for name in ("d/f", "other/g", "g", "other/d/x"):
        farm.file(name)
    farm.link("link", farm.path("other/d"))
    everything = {name: farm.read(farm.path(name)) for name in ("d/f", "other/g", "g")}
    rules = policy(farm.path("ws"), [(access, noise.format(farm.root)), ("ro", farm.path("ws"))])
    done = helper.sh(rules, 'for f; do cat -- "$f"; echo new > "$f"; done', *map(farm.path, everything))
    for name, token in everything.items():
        meant = name == means
        assert (token in done.out) == (not meant or access == "rw"), name
        assert (farm.read(farm.path(name)) == b"new") == (meant and access == "rw"), name


@pytest.mark.parametrize("tail", ("/", "/."))
def test_a_deny_of_a_file_spelled_as_a_folder_masks_the_file(farm: Farm, helper: Helper, tail: str) -> None:
    secret = farm.file("ws/secret")
    rules = policy(farm.path("ws"), [("rw", farm.path("ws")), ("deny", secret + tail)])
    assert helper.sh(rules, 'cat -- "$1"; echo end', secret).out == b"end\n"
    assert helper.outside('cat -- "$1"', secret).out.strip() == farm.read(secret)


def test_a_linked_cwd_works_even_through_a_link_that_the_command_may_rewrite(farm: Farm, helper: Helper) -> None:
    farm.file("ws/d/f")
    farm.link("ws/here", farm.path("ws/d"))
    done = helper.sh(policy(farm.path("ws/here"), [("rw", farm.path("ws"))]), "pwd -P; cat f")
    assert done.out.startswith(os.fsencode(farm.path("ws/d")) + b"\n")
    assert farm.read(farm.path("ws/d/f")) in done.out


@pytest.mark.parametrize(
    ("cwd", "rules", "reads"),
    (
        ("missing", [("rw", "ws")], "everything"),
        ("ws/f", [("rw", "ws")], "everything"),
        ("ws", [("deny", "ws")], "everything"),
        ("ws/in", [("deny", "ws")], "everything"),
        ("other", [("rw", "ws")], "listed"),
        (".", [("rw", "ws")], "listed"),
    ),
)
def test_a_cwd_that_is_not_there_to_see_is_refused(
    farm: Farm, helper: Helper, cwd: str, rules: list[tuple[str, str]], reads: str
) -> None:
    farm.file("ws/f")
    farm.folder("ws/in")
    farm.folder("other")
    before = farm.listing()
    done = helper.sh(policy(farm.path(cwd), [(a, farm.path(p)) for a, p in rules], reads=reads), "echo ran")
    assert done.refused
    assert b"ran" not in done.out
    assert farm.listing() == before


LEVELS = [("rw", "a"), ("ro", "a/b"), ("rw", "a/b/c"), ("deny", "a/b/c/d")]


@pytest.mark.parametrize(("caller", "bwrap"), CROSSED, indirect=True)
@pytest.mark.parametrize("order", list(itertools.permutations(range(4)))[::5])
@pytest.mark.parametrize("spelling", ("real", "short-alias-of-the-deepest", "alias-of-the-top"))
@pytest.mark.parametrize("reads", ("everything", "listed"))
def test_the_most_specific_rule_wins_in_every_order(
    farm: Farm, helper: Helper, order: tuple[int, ...], spelling: str, reads: str
) -> None:
    files = [farm.file(f"{name}/f") for _, name in LEVELS]
    tokens = [farm.read(path) for path in files]
    names = {name: farm.path(name) for _, name in LEVELS}
    if spelling == "short-alias-of-the-deepest":
        names["a/b/c/d"] = farm.link("z", farm.path("a/b/c/d"))
    if spelling == "alias-of-the-top":
        names["a"] = farm.link("very/long/way/to/the/top/of/it/all", farm.path("a"))
    rules = policy(farm.path("a"), [(LEVELS[n][0], names[LEVELS[n][1]]) for n in order], reads=reads)
    done = helper.sh(rules, 'for f; do cat -- "$f"; echo new > "$f"; done; echo end', *files)
    assert [token in done.out for token in tokens] == [True, True, True, False]
    assert [farm.read(path) == b"new" for path in files] == [True, False, True, False]
    assert done.out.endswith(b"end\n")


@pytest.mark.parametrize(("caller", "bwrap"), CROSSED, indirect=True)
@pytest.mark.parametrize("name", ("blank name", "line\nfeed", "quo'te\"", "back\\slash", "a*", "?[x]", "$HOME", "a,b:c",
                                  "-dash", "\u00e9\u4e16", "n" * 255, "\udcff\udcfe", "tab\t#"))  # fmt: skip
@pytest.mark.parametrize("access", ("rw", "deny"))
def test_odd_names_are_taken_literally(farm: Farm, helper: Helper, name: str, access: str) -> None:
    twins = [name.strip("*?") or "x", name.replace("\n", " ") + "2" if len(name) < 200 else "n" * 254, "ab", "a", "b:c"]
    path = farm.file(f"ro/{name}")
    twins = [farm.file(f"ro/{twin}") for twin in dict.fromkeys(twins) if twin != name]
    token, others = farm.read(path), {twin: farm.read(twin) for twin in twins}
    farm.file("ws/f")
    rules = policy(farm.path("ws"), [(access, path), ("ro", farm.path("ws"))])
    done = helper.sh(rules, 'for f; do cat -- "$f"; echo new > "$f"; done', path, *twins)
    assert (token in done.out) == (access == "rw")
    assert (farm.read(path) == b"new") == (access == "rw")
    for twin, content in others.items():
        assert content in done.out
        assert farm.read(twin) == content
