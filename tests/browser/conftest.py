# SPDX-License-Identifier: MIT
"""A headless Chromium with a profile of its own; without one, or without Selenium, these tests are skipped."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from boxproof.report.html import html
from tests.report.reports import CONTRACT, one_of_each

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

SWITCHES: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """One browser for all tests, ended with them."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="Selenium is in the extra 'browser'")
    service = pytest.importorskip("selenium.webdriver.chrome.service")
    program, driver = (shutil.which(name) for name in ("chromium", "chromedriver"))
    if program is None or driver is None:
        pytest.skip("no chromium and chromedriver on PATH")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for switch in (*SWITCHES, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=service.Service(driver))
    yield browser
    browser.quit()


def console(browser: Chrome) -> list[dict[str, str]]:
    """Return what was said on the console since this was last asked."""
    said: list[dict[str, str]] = browser.execute("getLog", {"type": "browser"})["value"]
    return said


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of a report that has one of each."""
    path: Path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(html(one_of_each(), CONTRACT), "utf-8")
    return path.as_uri()


@pytest.fixture
def page(chromium: Chrome, address: str) -> Chrome:
    """The page, opened anew in a wide and light window."""
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chromium.set_window_size(1280, 1000)
    chromium.get("about:blank")
    console(chromium)
    chromium.get(address)
    return chromium
