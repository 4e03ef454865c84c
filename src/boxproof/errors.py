# SPDX-License-Identifier: MIT
"""The errors that a user of Boxproof can see, each a sentence of what happened, why, and what to do next."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class BoxproofError(Exception):
    """Something that the user can put right; `str()` is one line.

    Args:
        what: what happened, naming the file, line, key or option.
        cause: the probable cause, or empty where `what` says it.
        cure: the next step, or empty where there is only one.
    """

    def __init__(self, what: str, *, cause: str = "", cure: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.cause = cause
        self.cure = cure

    def __str__(self) -> str:
        """Return the whole sentence, with anything that would break the line made visible."""
        parts = [self.what]
        if self.cause:
            parts.append(f"({self.cause})")
        text = " ".join(parts)
        if self.cure:
            text = f"{text}; {self.cure}"
        return text.encode("utf-8", "backslashreplace").decode().replace("\n", "\\n")


class NotationError(BoxproofError):
    r"""A tree, rule, probe or name is not written in the notation of the case file.

    Causes: a typing mistake, an entry before its folder, a name with a blank that is not escaped as ``\x20``.
    Next step: mend the line that the message names; ``docs/reference/case-file.md`` has the notation.
    """


class CaseError(BoxproofError):
    """A case is well written but cannot be run: a probe leaves the farm, a rule names nothing that could exist.

    Causes: a hand-edited case file. Next step: mend the key that the message names.
    """


class HelperError(BoxproofError):
    """The helper under test, or its adapter, cannot be used at all.

    Causes: a wrong path, a missing execute bit, an adapter that does not fit the binary.
    Next step: try the helper by hand, or name the adapter with ``--adapter``.
    """


class GroundError(BoxproofError):
    """This host cannot give what a run needs: a place for the farm, an ordinary uid, a mount namespace.

    Causes: a full or read-only disk, a container without user namespaces, every candidate folder below a ``.git``.
    Next step: name a place with ``--farm-root``, or run as root.
    """


class ConditionError(BoxproofError):
    """A condition cannot be simulated here, or cannot be combined with another.

    Causes: a machine without filters, a host that lacks the thing already, two conditions about one thing.
    Next step: ``boxproof list conditions`` says what each needs; ``boxproof doctor`` says what is here.
    """


class ReportError(BoxproofError):
    """A report cannot be written or read.

    Causes: a folder that is not there, a suffix that names no format, a file that is not a Boxproof report.
    Next step: mend the path that the message names.
    """


def nearest(word: str, words: Iterable[str], *, otherwise: str = "") -> str:
    """Return a next step for a word that is none of these: the one most like it, else `otherwise`, or all of them."""
    known = [each for each in words if each]
    close = get_close_matches(word, known, 1)
    return f"did you mean '{close[0]}'?" if close else otherwise or f"write one of {', '.join(known)}"
