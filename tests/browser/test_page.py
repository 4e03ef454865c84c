# SPDX-License-Identifier: MIT
"""The HTML report in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.browser.conftest import console

if TYPE_CHECKING:
    from selenium.webdriver import Chrome
    from selenium.webdriver.remote.webelement import WebElement

CONTRAST: Final = (Path(__file__).parent / "contrast.js").read_text("utf-8")
CELL: Final = "td[data-requirement='MASK-2'][data-helper='alpha-1.0'] a"


def find(page: Chrome, selector: str) -> WebElement:
    return page.find_element("css selector", selector)


def visible(page: Chrome, selector: str) -> list[WebElement]:
    return [node for node in page.find_elements("css selector", selector) if node.is_displayed()]


def click(page: Chrome, selector: str) -> None:
    # Selenium scrolls to the edge of the window, where the filter lies over what is to be clicked
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", find(page, selector))
    find(page, selector).click()


def dark(page: Chrome) -> None:
    feature = {"name": "prefers-color-scheme", "value": "dark"}
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})


def narrow(page: Chrome) -> None:
    size = {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": False}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def press(page: Chrome, *keys: str) -> None:
    page.switch_to.active_element.send_keys(*keys)


def test_nothing_is_said_on_the_console_and_nothing_is_loaded(page: Chrome) -> None:
    click(page, CELL)
    click(page, ".group:target .finding h4 a")
    assert console(page) == []
    assert page.execute_script("return performance.getEntriesByType('resource').map((each) => each.name)") == []


@pytest.mark.parametrize("script", (True, False))
def test_two_clicks_lead_from_the_matrix_to_why_it_fails(page: Chrome, *, script: bool) -> None:
    page.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not script})
    page.refresh()
    assert visible(page, ".finding .body") == []
    find(page, CELL).click()
    assert "evidence: host" in find(page, ".group:target").text
    find(page, ".group:target .finding[data-verdict='fail'] h4 a").click()
    (body,) = visible(page, ".finding .body")
    for words in ("its token came out", "deny alias/auth.json → real/auth.json", "/opt/helper", "openai/codex#52658"):
        assert words in body.text


def test_without_javascript_there_is_no_filter_and_all_is_there(page: Chrome) -> None:
    page.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    page.refresh()
    assert visible(page, "#filter") == []
    assert len(visible(page, ".finding")) == len(page.find_elements("css selector", ".finding")) > 5


def test_the_filter_takes_verdicts(page: Chrome) -> None:
    click(page, "button[data-verdict='flaky']")
    assert {node.get_attribute("data-verdict") for node in visible(page, ".finding")} == {"flaky"}
    assert [node.text for node in visible(page, ".matrix tbody th")] == ["MASK-2"]
    assert find(page, "#filter output").text == "1 row"
    click(page, "button[data-verdict='flaky']")
    assert len(visible(page, ".finding")) > 1


def test_the_filter_takes_a_requirement_and_a_helper(page: Chrome) -> None:
    find(page, "input[name=words]").send_keys("start")
    assert {node.text for node in visible(page, ".matrix tbody th")} == {"START-1"}
    click(page, "select[name=helper] option:nth-child(3)")
    assert {node.text for node in visible(page, ".matrix thead th[data-helper]")} == {"beta-2.0", "beta-2.0\nel10"}
    assert {node.get_attribute("data-helper") for node in visible(page, ".group")} == {"beta-2.0"}
    click(page, "button[type=reset]")
    assert len(visible(page, ".matrix tbody th")) > 3


def test_what_the_filter_hides_is_shown_when_its_address_is_opened(page: Chrome) -> None:
    find(page, "input[name=words]").send_keys("start")
    assert visible(page, "#finding-1") == []
    page.execute_script("location.hash = 'finding-1'")
    assert len(visible(page, "#finding-1 .body")) == 1


def test_the_keyboard_alone_is_enough(page: Chrome) -> None:
    page.execute_script("document.querySelector(arguments[0]).focus()", CELL)
    press(page, "\ue007")
    press(page, "\ue004")
    press(page, "\ue004")
    link = page.switch_to.active_element
    assert link.find_element("xpath", "ancestor::article").get_attribute("class") == "finding"
    press(page, "\ue007")
    assert len(visible(page, ".finding .body")) == 1
    assert link.get_attribute("aria-expanded") == "true"
    press(page, "\ue00c")
    assert visible(page, ".finding .body") == []
    assert page.switch_to.active_element == link


def test_what_has_the_focus_is_seen(page: Chrome) -> None:
    page.execute_script("document.querySelector(arguments[0]).focus()", CELL)
    press(page, "\ue004")
    outline = "return getComputedStyle(document.activeElement).outlineStyle"
    assert page.execute_script(outline) == "solid"


@pytest.mark.parametrize("in_the_dark", (True, False))
def test_each_text_has_the_contrast_of_wcag_aa(page: Chrome, *, in_the_dark: bool) -> None:
    if in_the_dark:
        dark(page)
    page.execute_script("for (const each of document.querySelectorAll('.body')) each.style.display = 'block'")
    click(page, "button[data-verdict='fail']")
    seen, poor = page.execute_script(CONTRAST)
    assert poor == []
    assert seen > 100


def test_light_and_dark_differ(page: Chrome) -> None:
    background = "return getComputedStyle(document.body).backgroundColor"
    light = page.execute_script(background)
    dark(page)
    assert page.execute_script(background) != light


def test_a_narrow_window_is_not_scrolled_sideways(page: Chrome) -> None:
    narrow(page)
    click(page, CELL)
    click(page, ".group:target .finding h4 a")
    assert page.execute_script("return document.documentElement.scrollWidth <= innerWidth")


def test_in_print_every_finding_is_open(page: Chrome) -> None:
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert len(visible(page, ".finding .body")) == len(page.find_elements("css selector", ".finding"))
    assert visible(page, "#filter") == []
