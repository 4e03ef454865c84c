# SPDX-License-Identifier: MIT
"""Whether a condition is in force: its canaries are asked under it, and once more without it.

A simulation that is not in force would turn every verdict under it into a lie, so what cannot be certified is
`not-applicable` and says why.
"""

from __future__ import annotations

from typing import Final

from attrs import frozen

from boxproof.grounds.ground import Starter
from boxproof.grounds.simulated import Simulated

_SECONDS: Final = 20.0


@frozen
class Certificate:
    """What the canaries of a condition said.

    Args:
        why_not: why the condition is not in force, or ``""``.
        native: whether this host lacks the same without any simulation.
    """

    why_not: str = ""
    native: bool = False


def certify(launcher: Starter, simulated: Simulated) -> Certificate:
    """Ask the canaries of a condition, as the launch user.

    Raises:
        LauncherLost: where the launcher does not survive the questions.
    """
    seen, trouble = _ask(launcher, simulated, bare=False)
    wanted = [canary.wanted(simulated.places) for canary in simulated.condition.canaries]
    if trouble or seen != wanted:
        return Certificate(trouble or f"its canary says {' '.join(seen)}, not {' '.join(wanted)}")
    without, _ = _ask(launcher, simulated, bare=True)
    return Certificate(native=without == wanted)


def _ask(launcher: Starter, simulated: Simulated, *, bare: bool) -> tuple[list[str], str]:
    """Return what each canary says, and what kept them from saying anything."""
    launcher.start()
    launch = launcher.launch(
        ["canary"],
        env=simulated.bare_env if bare else simulated.env,
        cwd=simulated.cwd,
        deadline=_SECONDS,
        canary=[canary.asked(simulated.places) for canary in simulated.condition.canaries],
        condition=None if bare else simulated.request,
    )
    if launch.timed_out or launch.exec_error:
        return [], launch.exec_error or "its canary does not end"
    return launch.stdout.decode("utf-8", "surrogateescape").splitlines(), ""
