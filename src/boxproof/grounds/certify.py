# SPDX-License-Identifier: MIT
"""Whether a condition is in force: its canaries are asked under it.

A simulation that is not in force would turn every verdict under it into a lie, so what cannot be certified is
`not-applicable` and says why.
"""

from __future__ import annotations

from typing import Final

from boxproof.grounds.command import Command
from boxproof.grounds.ground import Starter
from boxproof.grounds.simulated import Simulated

_SECONDS: Final = 20.0


def why_not_in_force(launcher: Starter, simulated: Simulated) -> str:
    """Ask the canaries of a condition, as the launch user; return why it is not in force, or ``""``.

    Raises:
        LauncherLost: where the launcher does not survive the questions.
    """
    seen, trouble = answers(launcher, simulated)
    wanted = [canary.wanted(simulated.places) for canary in simulated.condition.canaries]
    if trouble or seen != wanted:
        return trouble or f"its canary says {' '.join(seen)}, not {' '.join(wanted)}"
    return ""


def answers(launcher: Starter, simulated: Simulated, *, bare: bool = False) -> tuple[list[str], str]:
    """Return what each canary says, and what kept them from saying anything.

    Args:
        launcher: what starts them.
        simulated: the condition.
        bare: whether they are asked without it.
    """
    launcher.start()
    asked = Command(
        ["canary"],
        _SECONDS,
        env=simulated.bare_env if bare else simulated.env,
        cwd=simulated.cwd,
        condition=None if bare else simulated.request,
        canary=[canary.asked(simulated.places) for canary in simulated.condition.canaries],
    )
    launch = launcher.launch(asked)
    if launch.timed_out or launch.exec_error:
        return [], launch.exec_error or "its canary does not end"
    return launch.stdout.decode("utf-8", "surrogateescape").splitlines(), ""
