"""The page of `spacy-ucca serve` in a headless browser: queries, text files, narrow and dark screens."""

import re
from pathlib import Path

from browsing import Page
from png import read_png
from serving import wait_until

from spacy_ucca.serve.limits import Limits

MAX_TEXT = Limits().characters


def test_a_query_marks_its_matches(page: Page) -> None:
    from selenium.webdriver.common.keys import Keys

    page.type("Ann left 🎉 Paris")
    page.find("#query").send_keys("H[P=who A=what]", Keys.ENTER)
    page.wait()
    matches = page.chrome.find_elements("css selector", ".match")
    assert page.find("#count").text == f"{len(matches)} matches" == "3 matches"
    marks = [mark.text for mark in matches[2].find_elements("css selector", "mark.inner")]
    assert marks == ["Ann", "Paris"] and "who: Ann · what: Paris" in matches[2].text
    rings = page.chrome.find_elements("css selector", "#picture .unit .highlight")
    assert len(rings) == 5  # the Scene and its children
    matches[2].send_keys(Keys.ENTER)
    assert matches[2].get_attribute("aria-current") == "true"
    script = "return [...document.querySelectorAll('#picture .current')].map(n => +n.dataset.unit)"
    assert page.chrome.execute_script(script) == [1, 2, 5]
    page.find("#query").send_keys("[", Keys.CONTROL, Keys.ENTER)
    page.wait(lambda: page.find("#message").is_displayed())
    assert "UC653" in page.find("#message").text
    page.find("#query").clear()
    page.find("#find").click()
    page.wait(lambda: page.find("#result").is_displayed())
    assert not page.find("#found").is_displayed()


def test_text_files(page: Page, tmp_path: Path) -> None:
    files = {
        "good.txt": "\ufeffAnn left 🎉".encode(),
        "latin.txt": "Zoë left".encode("latin1"),
        "binary.txt": b"Ann\0left",
        "empty.txt": b"\n",
        "long.txt": b"x" * (MAX_TEXT + 1),
    }
    said = {"latin": "UTF-8", "binary": "not a text", "empty": "empty", "long": str(MAX_TEXT)}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
        page.find("#file").send_keys(str(tmp_path / name))
        told = page.find("#status" if name == "good.txt" else "#message")
        wait_until(lambda told=told, name=name: name in told.text)
        assert said.get(name.partition(".")[0], "") in told.text
        assert page.find("#text").get_property("value") == "Ann left 🎉"
    script = """
    const files = new DataTransfer();
    files.items.add(new File(["Bob stayed"], "dropped.txt"));
    const drop = new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true });
    document.querySelector(arguments[0]).dispatchEvent(drop);
    return drop.defaultPrevented"""
    assert page.chrome.execute_script(script, "h1")  # the browser does not leave the page
    assert page.chrome.execute_script(script, "#text")
    wait_until(lambda: page.find("#text").get_property("value") == "Bob stayed")


def test_the_picture_fits_its_box(page: Page) -> None:
    """At once, and again after a change of the width of the window, with the graph that is shown."""
    chrome = page.chrome
    script = "const p = document.querySelector('#picture'); return [p.scrollWidth, p.clientWidth]"

    def fits(least: int, most: int) -> bool:
        drawn, room = chrome.execute_script(script)
        return least < room < most and drawn == room

    try:
        page.type("Ann " * 40)
        page.find("#go").click()
        page.wait()
        assert fits(900, 1300) and len(page.words()) == 40
        page.type("Bob")
        size = {"width": 500, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        page.wait(lambda: fits(300, 500))
        assert page.words() == ["Ann"] * 40 and not page.log()
    finally:
        chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_narrow_and_dark(page: Page) -> None:
    chrome = page.chrome
    size = {"width": 360, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    try:
        page.type("Ann " * 40)
        page.find("#query").send_keys("H[P=who A=what]")
        page.find("#go").click()
        page.wait()
        assert chrome.execute_script("return document.documentElement.scrollWidth") == 360
        script = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"

        def brightness(selector: str, name: str) -> int:
            return sum(
                map(int, re.findall(r"\d+", chrome.execute_script(script, selector, name))[:3])
            )

        for selector in (
            "#text",
            "#go",
            "#query",
            "select, #find",
            ".match",
            "td",
            "pre",
            "#status",
        ):
            ink, back = brightness(selector, "color"), brightness("body", "backgroundColor")
            assert back < 150 and (ink > 400 or selector == "#go")
        picture = read_png(page.find("#picture").screenshot_as_png)
        assert (picture.max(axis=2) < 100).mean() > 0.5
        chrome.get(page.chrome.current_url + "docs")
        assert chrome.execute_script("return document.documentElement.scrollWidth") == 360
    finally:
        chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
