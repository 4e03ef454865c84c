# SPDX-License-Identifier: MIT
"""Known-bad helpers that are wrong about processes, the host or a lacking host, looked at without the suite."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Final, TypeAlias

import pytest

from boxproof.grounds.accounts import launch_user
from boxproof.grounds.descendants import await_end
from boxproof.known_bad.table import find, table
from boxproof.reference.limits import OTHERS
from tests.known_bad.bench import of
from tests.known_bad.stage import Stage
from tests.plugin.place import Place

Look: TypeAlias = Callable[[Stage, str], object]
PATIENCE: Final = 8.0
"""Seconds in which a helper that was told to end does so; one that does not is given up then."""
FAILS: Final = "echo no >&2; exit 1"
OWN_NETWORK: Final = '[ "$(readlink /proc/self/ns/net)" = "$HOST" ] && echo shared || echo own'
HOST_NETWORK: Final = {**os.environ, "HOST": os.readlink("/proc/self/ns/net")}


def status(script: str, **settings: Any) -> Look:  # noqa: ANN401 - whatever `Stage.run` takes
    """Look at the exit status of a script."""
    return lambda stage, name: stage.run(name, script, **settings).returncode


def output(script: str, *options: str, **settings: Any) -> Look:  # noqa: ANN401 - whatever `Stage.run` takes
    """Look at what a script prints."""
    return lambda stage, name: stage.run(name, script, *options, **settings).stdout.strip()


def refused(look: Callable[[subprocess.CompletedProcess[str]], object], *options: str) -> Look:
    """Look at the end of a run whose bwrap makes no sandbox."""
    return lambda stage, name: look(stage.run(name, "echo ran", *options, bwrap=stage.stand_in(FAILS)))


def policy_is_left(stage: Stage, name: str) -> bool:
    stage.run(name, ":")
    return (stage.root / "policy.json").exists()


def files_in_home(stage: Stage, name: str) -> int:
    stage.run(name, ":", env={**os.environ, "HOME": str(stage.workspace)})
    return len(os.listdir(stage.workspace))


def placeholder_is_seen(stage: Stage, name: str) -> bool:
    missing = stage.workspace / "missing"
    running = stage.start(name, "read line", rules=(f"deny {missing}",))
    seen = missing.exists()
    running.communicate("\n", timeout=60)
    assert not missing.exists()
    return seen


def folders_after_sweep(stage: Stage, name: str) -> int:
    left = stage.root / ".boxproof-1-left"
    left.mkdir()
    os.chown(left, os.geteuid(), -1)
    bad = find(name or "never-sweeps")
    assert bad
    (bad.replacement if name else bad.original)(os.fsencode(stage.root))
    return left.exists()


def processes_left(stage: Stage, name: str) -> bool:
    stage.run(name, ":")
    return any_left(stage)


def any_left(stage: Stage) -> bool:
    """Tell whether processes are left, once those that are about to end have done so; end them."""
    place = Place(stage.root, launch_user())
    await_end(place.processes(), PATIENCE)
    left = place.processes()
    for pid in left:
        with suppress(ProcessLookupError):  # one of them may have ended with another
            os.kill(pid, signal.SIGKILL)
    await_end(left, PATIENCE)
    return bool(left)


def is_started_by_helper(stage: Stage, name: str) -> bool:
    running = stage.start(name, "read line")
    with open(f"/proc/{running.pid}/task/{running.pid}/children", encoding="ascii") as children:
        (child,) = children.read().split()
    seen = os.path.basename(os.readlink(f"/proc/{child}/exe"))
    running.communicate("\n", timeout=60)
    return seen == "bwrap"


def missing_command(stage: Stage, name: str) -> int:
    return subprocess.run(stage.command(name, "--", "/none"), check=False, capture_output=True, timeout=60).returncode


def limit_of_files(stage: Stage, name: str) -> int:
    command = stage.command(name, "--", "/bin/sh", "-c", "ulimit -Sn")
    limited = ["/bin/sh", "-c", 'ulimit -Sn 100; exec "$@"', "sh", *command]
    return int(subprocess.run(limited, check=True, capture_output=True, timeout=60).stdout)


def ends_on_term(script: str) -> Look:
    def look(stage: Stage, name: str) -> bool:
        running = stage.start(name, script)
        running.send_signal(signal.SIGTERM)
        try:
            running.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            return False
        finally:
            running.communicate("\n\n", timeout=60)
        return True

    return look


def descriptor_arrives(stage: Stage, name: str) -> bool:
    with open("/dev/null", "rb") as file:
        number = file.fileno()
        return bool(stage.run(name, f"[ -e /proc/self/fd/{number} ] && echo there", pass_fds=(number,)).stdout)


def gives_up(stage: Stage, name: str) -> bool:
    command = stage.command(name, "--", "/bin/true", bwrap=stage.stand_in("exec sleep 60"))
    running = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=stage.environment)
    try:
        running.wait(4 * PATIENCE)
    except subprocess.TimeoutExpired:
        return False
    finally:
        running.kill()
        running.wait()
        any_left(stage)
    return True


def open_bwrap_is_used(stage: Stage, name: str) -> bool:
    return stage.run(name, ":", bwrap=stage.stand_in('exec "$BWRAP" "$@"', mode=0o777)).returncode == 0


def writable_bwrap_is_used(stage: Stage, name: str) -> bool:
    return stage.run(name, ":", bwrap=stage.stand_in('exec "$BWRAP" "$@"', folder="ws")).returncode == 0


def moved(rule: str, script: str) -> Look:
    """Look at what a script prints when two folders change places just before bwrap mounts them."""

    def look(stage: Stage, name: str) -> str:
        for folder in ("one", "two"):
            (stage.root / folder).mkdir()
            (stage.root / folder / "key").write_text(f"{folder}\n", encoding="ascii")
        steps = ("one gone", "two one", "gone two")
        swap = "; ".join(f"cd {stage.root} && mv {step}" for step in steps)
        shim = stage.stand_in(f'{swap}\nexec "$BWRAP" "$@"')
        ran = stage.run(name, script.format(stage.root), bwrap=shim, rules=(rule.format(stage.root),))
        for folder in ("one", "two"):
            shutil.rmtree(stage.root / folder)
        return ran.stdout.strip()

    return look


DIFFERS: Final[dict[str, tuple[Look, object, object]]] = {
    "policy-file-deleted": (policy_is_left, True, False),
    "file-left-in-home": (files_in_home, 0, 1),
    "placeholder-while-running": (placeholder_is_seen, False, True),
    "never-sweeps": (folders_after_sweep, False, True),
    "monitor-left-behind": (processes_left, False, True),
    "no-second-process": (is_started_by_helper, False, True),
    "swallows-status": (status("exit 42"), 42, 0),
    "status-collapsed": (status("exit 42"), 42, 1),
    "status-in-seven-bits": (status("exit 255"), 255, 127),
    "signal-lost": (status("kill -KILL $$"), 137, 1),
    "chatters": (output("echo out"), "out", "sandbox: starting\nout"),
    "stdin-lost": (output("cat", input="in"), "in", ""),
    "backtrace": (refused(lambda ran: "Traceback" in ran.stderr), False, True),
    "missing-command-unnamed": (missing_command, 127, 125),
    "network-kept": (output(OWN_NETWORK, env=HOST_NETWORK), "own", "shared"),
    "host-processes-shown": (output(f"[ -d /proc/{os.getpid()} ] && echo shown"), "", "shown"),
    "leaks-descriptor": (descriptor_arrives, False, True),
    "term-ignored": (ends_on_term("read line"), True, False),
    "term-only-relayed": (ends_on_term("trap '' TERM; read line"), True, False),
    "sigpipe-ignored": (output("grep -c 'SigIgn:.*1...$' /proc/self/status"), "0", "1"),
    "limit-stays-raised": (limit_of_files, 100, OTHERS + 2),
    "umask-closed": (output("umask", umask=0o022), "0022", "0077"),
    "environment-trimmed": (output("echo $WORD", env={**os.environ, "WORD": "word"}), "word", ""),
    "unsandboxed-fallback": (output("echo ran", bwrap="/none"), "", "ran"),
    "unsandboxed-on-failure": (refused(lambda ran: ran.stdout), "", "ran\n"),
    "exits-zero-when-refused": (refused(lambda ran: ran.returncode), 125, 0),
    "silent-refusal": (refused(lambda ran: "refused" in ran.stderr), True, False),
    "preflight-own-status": (refused(lambda ran: ran.returncode, "--check"), 125, 101),
    "no-deadline": (gives_up, True, False),
    "trusts-any-bwrap": (open_bwrap_is_used, False, True),
    "trusts-writable-bwrap": (writable_bwrap_is_used, False, True),
    "never-verified": (moved("rw {0}/one", "cat {0}/one/key"), "", "two"),
    "moved-deny-unnoticed": (moved("deny {0}/one/key", "cat {0}/two/key"), "", "one"),
}
"""For each: what is looked at, what it is under the reference, and under the known-bad helper."""


@pytest.fixture
def stage(place: Place) -> Iterator[Stage]:
    stage = Stage(place.root / "stage")
    stage.workspace.mkdir(parents=True)
    yield stage
    shutil.rmtree(stage.root)


def test_every_one_without_a_case_is_looked_at() -> None:
    assert {bad.name for bad in table() if not of(bad.caught)} <= set(DIFFERS) <= {bad.name for bad in table()}


@pytest.mark.parametrize("name", DIFFERS)
def test_it_differs_from_the_reference(stage: Stage, name: str) -> None:
    look, right, wrong = DIFFERS[name]
    assert (look(stage, ""), look(stage, name)) == (right, wrong)
