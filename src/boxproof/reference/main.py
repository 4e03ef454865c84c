# SPDX-License-Identifier: MIT
"""The command line.

``boxproof-reference --policy FILE [--bwrap PATH] [--check] -- COMMAND [ARGUMENT ...]``

Exit status: the command's own; 128+n when signal n ended it; 127 when it is missing in the sandbox and 126 when it
cannot be executed there; 125 for every refusal, a wrong command line included, so that one number says "your command
has not run". With ``--check`` nothing of the user's is run and 0 says that it could be; a command is optional then.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Callable

from . import bwrap, command, descriptors, limits, mountinfo, mounts, plan, policyfile, signals
from .launch import Job, run
from .overlay import reserve
from .preflight import preflight
from .refusal import Refused, shown
from .survivor import behind

USAGE = "boxproof-reference --policy FILE [--bwrap PATH] [--check] -- COMMAND [ARGUMENT ...]"


class Options:
    """The command line, decoded: every value as the bytes that were given."""

    __slots__ = ("bwrap", "check", "command", "policy")

    def __init__(self) -> None:
        self.policy = b""
        self.bwrap = b""
        self.check = False
        self.command: list[bytes] = []


def main(mask: set[int] | None = None) -> int:
    """Run the command line of this process; gives the exit status and never raises.

    `mask` is the caller's signal mask, where signals have been blocked before this.
    """
    found = signals.hold()
    given = found if mask is None else mask
    return answered(lambda: launch(parse([os.fsencode(word) for word in sys.argv[1:]]), given))


def answered(work: Callable[[], int]) -> int:
    """The status of `work`, or, with the reason on stderr, that of its refusal."""
    try:
        return work()
    except Refused as refused:
        return told(refused)
    except OSError as error:
        why = f"{errno.errorcode.get(error.errno or 0, 'unknown')}, {os.strerror(error.errno or 0)}"
        return told(Refused("this run", why, "raise the caller's limits (ulimit -a), or use fewer rules"))
    except Exception as error:  # noqa: BLE001 - a user gets one line and the refusal's status, whatever went wrong
        return told(Refused("this run", f"internal error {error!a}", "report it with the policy file"))


def launch(options: Options, mask: set[int]) -> int:
    """Read and plan here, which changes nothing; prepare and start behind, where a SIGKILL of this process is seen."""
    descriptors.occupy_closed()
    descriptors.keep_private()
    environment = as_given(dict(os.environb))
    policy = policyfile.load(options.policy)
    room = limits.make_room(len(policy.rules))
    table = mountinfo.read()
    planned = plan.make(policy, table, environment.get(b"TMPDIR", b""))
    program = bwrap.find(options.bwrap, environment.get(b"PATH", b""), planned.view)
    if options.command:
        command.check(options.command[0], environment.get(b"PATH", b"/bin:/usr/bin"), planned)
    job = Job(program, options.command, environment, planned)
    job.network, job.limits = policy.network, room
    start = preflight if options.check else run

    def work(lifeline: int) -> int:
        reserve(planned, table)
        job.arguments = [*mounts.confinement(network=job.network), *mounts.arguments(planned), b"--chdir", planned.cwd]
        return start(job, mask, lifeline)

    return behind(lambda lifeline: answered(lambda: work(lifeline)), mask)


def parse(words: list[bytes]) -> Options:
    """The options among `words`; the first ``--`` ends them."""
    options = Options()
    while words and words[0] != b"--":
        option = words.pop(0)
        if option == b"--check":
            options.check = True
        elif option in (b"--policy", b"--bwrap") and words:
            setattr(options, option[2:].decode(), words.pop(0))
        else:
            raise Refused(f"argument {shown(option)}", "unknown, or without its value", f"usage: {USAGE}")
    options.command = words[1:]
    if not options.policy or not (options.command or options.check):
        raise Refused("command line", "no policy or no command", f"usage: {USAGE}")
    return options


def as_given(environment: dict[bytes, bytes]) -> dict[bytes, bytes]:
    """The environment with the caller's LC_CTYPE, which Python sets for itself in the C locale (PEP 538)."""
    with open("/proc/self/environ", "rb") as file:
        given = [entry for entry in file.read().split(b"\0") if entry.startswith(b"LC_CTYPE=")]
    environment.pop(b"LC_CTYPE", None)
    environment.update({entry[:8]: entry[9:] for entry in given})
    return environment


def told(refused: Refused) -> int:
    """Write a refusal to stderr, past any buffer, and give its exit status; nobody may be there to read it."""
    with contextlib.suppress(OSError):
        os.write(2, refused.line().encode("ascii", "backslashreplace") + b"\n")
    return refused.status
