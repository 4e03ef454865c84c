# SPDX-License-Identifier: MIT
"""Which commands of the documentation no test runs, and why."""

from __future__ import annotations

from collections import Counter

from tests.docs.page import CHECKOUT, PAGES, SCRIPT, blocks, steps

NOT_RUN = {
    ("README.md", ".ci/run runs it"): 2,
    ("docs/tutorial.md", "fetches packages"): 1,
    ("docs/how-to/find-where-it-broke.md", "fetches packages"): 7,
    ("docs/how-to/find-where-it-broke.md", "needs what was fetched"): 2,
    ("docs/how-to/gate-a-release.md", "needs a container engine and a registry"): 2,
    ("docs/how-to/gate-a-release.md", "needs a container engine and images"): 3,
    ("docs/how-to/release.md", "builds in environments of their own"): 1,
    ("docs/how-to/release.md", "makes a release"): 2,
    ("docs/how-to/release.md", "needs a release"): 3,
    ("docs/how-to/run-in-a-container.md", "needs a container engine and a registry"): 2,
    ("docs/how-to/run-in-a-container.md", "needs root and a container engine"): 2,
    ("docs/how-to/run-in-a-container.md", "needs a container engine and images"): 2,
}
"""How many commands of a page, by the reason that the page itself has in a comment. Keep these few."""
LANGUAGES = {"", "bash", "console", "json", "python", "sh", "toml", "yaml", "{toctree}"}


def test_the_commands_that_are_not_run_are_these() -> None:
    counted = Counter(
        (block.page, reason)
        for page in PAGES
        for block in blocks(page)
        if (reason := block.marks.get("not run"))
        for _ in steps(block)
    )
    assert counted == NOT_RUN


def test_what_is_run_elsewhere_is_run_to_the_letter() -> None:
    """The first page's two commands are the lines of the script that every change has to pass."""
    script = (CHECKOUT / ".ci/run").read_text("utf-8").splitlines()
    marked = [block for block in blocks("README.md") if block.marks.get("not run") == ".ci/run runs it"]
    assert [step.command for block in marked for step in steps(block)] == [
        line for line in script if line.startswith("python3 -m venv")
    ]


def test_no_command_hides_in_a_block_of_another_language() -> None:
    for page in PAGES:
        for block in blocks(page):
            assert block.language in LANGUAGES, f"{page}:{block.line}"
            if block.language != "console":
                assert "\n$ " not in f"\n{block.text}", f"{page}:{block.line}"
            if block.language == SCRIPT:
                assert steps(block), f"{page}:{block.line}"
