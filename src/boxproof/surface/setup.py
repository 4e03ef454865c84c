# SPDX-License-Identifier: MIT
"""From options to an engine: everything that can be wrong with them is found before anything runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from attrs import evolve

import boxproof
from boxproof.errors import BoxproofError, HelperError
from boxproof.grounds.accounts import LaunchUser, launch_user
from boxproof.grounds.container.place import ContainerPlace
from boxproof.grounds.host import check_farm_root, reachable_by
from boxproof.grounds.place import Place
from boxproof.grounds.places import find_places
from boxproof.helpers.registry import find, is_bundled
from boxproof.model.requirement import Contract, load_contract
from boxproof.surface.baseline import read_baseline
from boxproof.surface.engine import Engine, Subject
from boxproof.surface.options import Options

PROGRAM: Final = "BOXPROOF_PROGRAM"
"""The variable in which ``boxproof run`` says what the user typed, for replay lines."""


def suite_root() -> Path:
    """Return the folder that holds ``conformance`` and ``fixtures``: in the installed package, or the checkout's."""
    package = Path(boxproof.__file__).parent
    installed = package / "suite"
    return installed if installed.is_dir() else package.parent.parent


def apart() -> list[str]:
    """Return pytest's options for the suite alone.

    Without ``-c`` pytest would take the settings of whatever project the environment lies in; the plugin is named, so
    that its options are known wherever the suite lies, and the suite's conftest would only name it again.
    """
    own = ["-c", os.devnull, f"--rootdir={suite_root()}"]
    return [*own, "-p", "no:cacheprovider", "-p", "boxproof.plugin", "--noconftest"]


def read_contract() -> Contract:
    """Read the requirements.

    Raises:
        BoxproofError: where the file is missing or has an error.
    """
    path = suite_root() / "conformance" / "requirements.toml"
    if not path.is_file():
        raise BoxproofError(f"'{path}' is not there", cure="install boxproof with its suite, or use a checkout")
    return load_contract(path.read_text(encoding="utf-8"), path.name)


def make_engine(options: Options, program: str, *, ask: bool = True) -> Engine:
    """Find the helpers and return an engine for them.

    Args:
        options: what the user asked for.
        program: what the user typed to start the suite.
        ask: whether anything may be started to learn more.

    Raises:
        BoxproofError: for a helper that is not there, cannot be executed or fits no adapter, an unknown ground, or a
            place that no farm can be built in.
    """
    user = launch_user("root" if options.as_root else "user")
    if options.farm_root:
        check_farm_root(user, str(options.farm_root))
    places = find_places(options.grounds, suite_root())
    helpers = tuple(_subject(given, options, user, ask=ask) for given in options.helpers)
    if len({subject.slug for subject in helpers}) < len(helpers):
        raise BoxproofError("two --helper options lead to helpers of one name", cure="give each helper once")
    subjects = tuple(_at(subject, place, ask=ask) for subject in helpers for place in places)
    contract = read_contract()
    return Engine(options, contract, subjects, program, read_baseline(options.baseline, contract))


def _at(subject: Subject, place: Place, *, ask: bool) -> Subject:
    """Return the subject in a place, where the helper of that path may be another one."""
    if not isinstance(place, ContainerPlace) or not ask or is_bundled(subject.given):
        return evolve(subject, place=place)
    return evolve(subject, place=place, helper=place.described(subject.adapter, subject.helper))


def _subject(given: str, options: Options, user: LaunchUser, *, ask: bool) -> Subject:
    adapter, helper = find(given, options.adapter or None, options.env, ask=ask)
    stopped = "" if is_bundled(given) else reachable_by(helper.path, user.uid, user.gid)
    if stopped:
        raise HelperError(
            f"uid {user.uid} cannot execute '{helper.path}'",
            cause=f"it is stopped at {stopped}",
            cure="put the helper where every user can reach it, or keep root with --run-as=root",
        )
    return Subject(given, adapter, helper)
