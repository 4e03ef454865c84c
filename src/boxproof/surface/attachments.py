# SPDX-License-Identifier: MIT
"""What a bug reporter attaches: ``boxproof-out/SLUG/`` with the case, its row of a report, and a script.

Nothing in it names the user, the machine or a folder of theirs.
"""

from __future__ import annotations

import json
import os
import platform
import pwd
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

from attrs import evolve, frozen

from boxproof.asking import leads
from boxproof.errors import BoxproofError, HelperError
from boxproof.helpers.base import Adapter, Helper, Places
from boxproof.helpers.spoil import spoilt
from boxproof.model.case import Case
from boxproof.model.casefile import dump_case
from boxproof.model.host import Host
from boxproof.model.outcome import Verdict
from boxproof.model.policy import Policy, Rule, spelled_at
from boxproof.model.relations import related
from boxproof.model.resolve import Tree, resolve
from boxproof.model.result import Result
from boxproof.report.json import GroundRow, HelperRow, Report, Run
from boxproof.report.recipe import BASE, COMMAND, HELPER_FOLDER, PLACE, Recipe, Start
from boxproof.report.redact import Redaction, Secrets
from boxproof.report.reproducer import no_reproducer, reproducer
from boxproof.report.shellwords import word
from boxproof.surface.options import SECRET

CASE: Final = "case.toml"
REPORT: Final = "report.json"
SCRIPT: Final = "reproduce.sh"


@frozen
class Head:
    """The head of a report on one helper."""

    run: Run
    host: Host
    helpers: tuple[HelperRow, ...]
    grounds: tuple[GroundRow, ...] = ()


@frozen
class Failed:
    """A failing case and all that is known of it.

    Args:
        case: as it was run, derived probes included.
        result: its row of the report.
        adapter: how the helper is driven.
        helper: as it was found.
        launched: whether the helper was started at all.
        order: of the rules, in which the fault was found.
        statement: what the requirement says.
        seconds: deadline of one launch, 0 for the usual one.
        farm: the farm's base folder of this run.
    """

    case: Case
    result: Result
    adapter: Adapter
    helper: Helper
    launched: bool
    order: Literal["given", "reversed", "either"]
    statement: str
    seconds: float
    farm: str


def write_attachments(folder: Path, failed: Failed, head: Callable[[], Head]) -> None:
    """Write the three files, each whole or not at all; only the first costs more than itself where it cannot be made.

    Args:
        folder: where; made where it is not there.
        failed: what is written about.
        head: asks for the head of the report.

    Raises:
        OSError: where the case file cannot be written.
    """
    redaction = secrets_of_host(failed.farm).redaction(failed.case)
    case = redaction.case(failed.case)
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / CASE, dump_case(case).encode("utf-8", "surrogateescape"))
    try:
        script = _script(failed, case, redaction)
    except Exception as error:  # noqa: BLE001 - a fault of ours costs the script, neither verdict nor case file
        script = no_reproducer(f"{type(error).__name__} while this script was made")
    with suppress(OSError, BoxproofError):
        _write(folder / SCRIPT, script.encode("ascii"), 0o755)
        _write(folder / REPORT, _report(failed, head(), redaction).encode())


def secrets_of_host(farm: str) -> Secrets:
    """Return the names of the user and the machine, and the folders of theirs, as far as this host tells."""
    variables = (os.environ.get(name, "") for name in ("USER", "LOGNAME", "SUDO_USER"))
    accounts = [
        account for account in map(_account, (os.getuid(), os.geteuid(), os.environ.get("SUDO_USER"))) if account
    ]
    node = platform.node()
    return Secrets(
        users=tuple(dict.fromkeys([*(account.pw_name for account in accounts), *filter(None, variables)])),
        hosts=tuple(dict.fromkeys(filter(None, (node, node.partition(".")[0])))),
        homes=tuple(dict.fromkeys([*(account.pw_dir for account in accounts), os.path.expanduser("~")])),
        places={farm: "{base}"} if farm else {},
    )


def _account(who: int | str | None) -> pwd.struct_passwd | None:
    with suppress(KeyError, TypeError):
        return pwd.getpwuid(who) if isinstance(who, int) else pwd.getpwnam(who or "")
    return None


def _report(failed: Failed, head: Head, redaction: Redaction) -> str:
    row = evolve(failed.result, case_file=CASE)
    report = redaction.json(Report(head.run, head.host, head.helpers, (row,), head.grounds).as_json())
    return json.dumps(report, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _script(failed: Failed, case: Case, redaction: Redaction) -> str:
    result = failed.result
    first = [f"{each.kind}: expected {each.expected}; seen {each.seen}" for each in result.findings[:1]]
    more = [f"and {len(result.findings) - 1} findings more"] if len(result.findings) > 1 else []
    about = f"found with {failed.helper.name}: {'; '.join([*first, *more]) or result.reason}"
    orders = {"given": (case,), "reversed": (case.reversed(),), "either": (case, case.reversed())}
    tried = tuple(filter(None, (case, related(case)))) if case.relation else orders[failed.order]
    starts = [_start(failed, each, redaction) for each in tried] if failed.launched else []
    plain = (_start(failed, each, redaction) for each in _plain(case))
    return reproducer(
        Recipe(
            case=case,
            findings=tuple(map(redaction.finding, result.findings)),
            starts=tuple(start for start in starts if start),
            plain=next((start for start in plain if start), None),
            helper=_placed(failed.helper).path,
            default=_default(failed.helper.path, redaction),
            about=(redaction.text(about),),
            statement=redaction.text(failed.statement),
            markers=tuple(failed.adapter.markers(case.policy)),
            flaky=result.verdict is Verdict.FLAKY,
            seconds=failed.case.deadline or failed.seconds,
        )
    )


def _start(failed: Failed, case: Case, redaction: Redaction) -> Start | None:
    """Return how the helper is started, or nothing for a policy that it has no words for."""
    helper, policy = _placed(failed.helper), case.policy.at(PLACE)
    home, tmp, files = (f"{BASE}/{area}" for area in ("home", "tmp", "files"))
    places = Places(farm=PLACE, home=home, tmp=tmp, files=files, leads=leads(case, PLACE))
    try:
        invocation = failed.adapter.invocation(helper, policy, COMMAND, places)
        invocation = spoilt(invocation, case.spoilt) if case.spoilt else invocation
    except HelperError:
        return None
    env = {**invocation.env, **helper.env}
    return Start(
        argv=invocation.argv,
        files=invocation.files,
        links=invocation.links,
        null_fds=invocation.null_fds,
        env={name: None if _private(name, value, redaction) else value for name, value in env.items()},
    )


def _plain(case: Case) -> Iterator[Case]:
    """Iterate over the case with the plainest policies: the working folder by its real path may be written.

    The second is for helpers that have no words for policies under which everything can be read.
    """
    found = resolve(Tree(case.topology, PLACE), spelled_at(case.policy.cwd, PLACE))
    folder = found.real if found.node == "folder" and found.real.startswith(PLACE) else PLACE
    policy = Policy(folder, (Rule("rw", folder),))
    yield evolve(case, policy=policy, spoilt="")
    yield evolve(case, policy=evolve(policy, reads="listed"), spoilt="")


def _private(name: str, value: str, redaction: Redaction) -> bool:
    return bool(SECRET.search(name)) or redaction.text(value) != value


def _placed(helper: Helper) -> Helper:
    """Return the helper as if it lay in the folder that the script fills in."""
    real = os.path.dirname(os.path.realpath(helper.path))
    env = {name: value.replace(real, HELPER_FOLDER) for name, value in helper.env.items()}
    return evolve(helper, path=f"{HELPER_FOLDER}/{os.path.basename(helper.path)}", env=env)


def _default(path: str, redaction: Redaction) -> str:
    """Return the helper's path as a shell word, its home folder left to the shell, or nothing where it tells a name."""
    home = os.path.expanduser("~")
    below = path.startswith(f"{home}/") and home != "/"
    rest = path.removeprefix(home) if below else path
    if redaction.text(rest) != rest:
        return ""
    return f'"$HOME"{word(rest, {})}' if below else word(path, {})


def _write(path: Path, content: bytes, mode: int = 0o644) -> None:
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        beside.write_bytes(content)
        beside.chmod(mode)
        os.replace(beside, path)
    finally:
        with suppress(FileNotFoundError):
            beside.unlink()
