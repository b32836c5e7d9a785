"""The page of `spacy-ucca serve` in a headless browser: a click and a screenshot."""

import csv
import json
import time
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
import spacy
from browsing import Page
from png import read_png
from serving import serving_pipeline

import spacy_ucca
from spacy_ucca.drawing.render import COLORS
from spacy_ucca.formats.xml import read_xml
from spacy_ucca.graph import Graph
from spacy_ucca.serve.limits import Limits
from spacy_ucca.serve.page import EXAMPLES

EVIL = "<img src=x onerror=alert(1)> <script>window.hacked=1</script> \"'&amp; ]]> </textarea>"
MAX_TEXT = Limits().characters


ALWAYS = ("Subject", "Relation", "Object", "Others", "When", "Where", "Negated")
SOMETIMES = ("Modality", "Secondary verbs", "Linkers", "Conditions")  # only if a row has some
WIDTHS = "return [document.documentElement.clientWidth, document.documentElement.scrollWidth]"


def table(page: Page) -> list[list[str]]:
    """RETURNS (List[List[str]]): The rows of the table of predications that are seen, the heads first."""
    script = """
    return [...document.querySelectorAll("table tr")].map(
      row => [...row.cells].filter(cell => cell.offsetParent).map(cell => cell.textContent))"""
    return page.chrome.execute_script(script)


def test_a_click_draws_a_graph(page: Page) -> None:
    assert not page.find("#result").is_displayed()
    page.find("#text").send_keys("Ann left Paris")
    page.find("#go").click()
    page.wait()
    assert page.words() == ["Ann", "left", "Paris"]
    assert "Participant" in page.find("#tree").text
    assert "1 sentence, 3 tokens" in page.find("#status").text
    # The screenshot: not blank, and the graph is in it, in its place and in its colours.
    whole = read_png(page.chrome.get_screenshot_as_png())
    assert len(np.unique(whole.reshape(-1, 3) @ (1 << 16, 1 << 8, 1))) > 50
    picture = read_png(page.find("#picture svg").screenshot_as_png)
    assert picture.shape[0] > 150 and picture.shape[1] > 150
    for category, n in (("P", 1), ("A", 2), ("H", 1)):
        color = [int(COLORS[category][i : i + 2], 16) for i in (1, 3, 5)]
        dots = (np.abs(picture.astype(int) - color).sum(axis=2) < 12).sum()
        assert dots > 20 * n, category  # the nodes of its units
    left = page.chrome.execute_script(
        "return [...document.querySelectorAll('#picture .token')].map(t => t.getBoundingClientRect().x)"
    )
    assert left == sorted(left)
    dark = (picture.sum(axis=2) < 200).any(axis=1).nonzero()[0]
    assert len(dark) > 10  # the words
    assert not page.log()
    # All of it came from the server itself.
    script = "return performance.getEntriesByType('resource').map(e => e.name)"
    assert all("//127.0.0.1:" in name for name in page.chrome.execute_script(script))


def test_what_is_shown_names_its_language(page: Page) -> None:
    page.type("Ann left")
    page.find("#go").click()
    page.wait()
    for part in ("#picture", "#tree", "#matches", "#rows"):
        assert page.find(part).get_property("lang") == "en"
    assert not page.log()


def test_keyboard_and_examples(page: Page) -> None:
    from selenium.webdriver.common.keys import Keys

    page.find("#text").send_keys("Bob stayed", Keys.CONTROL, Keys.ENTER)
    page.wait()
    assert page.words() == ["Bob", "stayed"]
    page.find(".example").click()
    page.wait(lambda: len(page.words()) > 2)
    assert page.find("#text").get_property("value") == EXAMPLES["en"][0]
    assert "graduation," in page.words()
    page.find("#go").send_keys(Keys.ENTER)
    page.wait(lambda: page.find("#status").text != "Parsing…")
    assert page.chrome.switch_to.active_element == page.find("#go")  # the focus stays


def test_errors_are_said(page: Page) -> None:
    page.find("#go").click()
    page.wait()
    assert "UC622" in page.find("[role=alert]").text
    page.type("a" * (MAX_TEXT + 1))
    page.find("#go").click()
    page.wait(lambda: "UC623" in page.find("#message").text)
    assert not page.find("#result").is_displayed()
    page.type("Now it works")
    page.find("#go").click()
    page.wait(lambda: page.find("#result").is_displayed())
    assert not page.find("#message").is_displayed()


def test_nothing_of_a_text_runs(page: Page) -> None:
    page.type(EVIL)
    page.find("#query").send_keys("*=a")
    page.find("#go").click()
    page.wait()
    assert "<img" in page.find(".match").text and "<img" in page.find("#rows").text
    assert page.words() == EVIL.split()
    assert page.chrome.execute_script("return window.hacked") is None
    assert page.chrome.execute_script("return document.querySelectorAll('img').length") == 0
    assert page.chrome.execute_script("return document.scripts.length") == 1
    assert "<img" in page.find("#tree").text


def test_right_to_left_text(page: Page) -> None:
    page.type("אחרי סיום הלימודים")
    page.find("#go").click()
    page.wait()
    assert page.find("#picture").get_property("dir") == "rtl"
    script = "return [...document.querySelectorAll('#picture .token')].map(t => t.getBoundingClientRect().x)"
    places = page.chrome.execute_script(script)
    assert places == sorted(places, reverse=True)
    script = """
    const [legend, ...signs] = [...document.querySelectorAll('#picture .legend, .legend rect, .legend path')].map(e => e.getBoundingClientRect());
    return [legend.left, ...signs.map(sign => sign.left)]"""
    left, *signs = page.chrome.execute_script(script)
    assert signs and left == min(signs)  # each name is to the right of its sign
    assert (
        page.chrome.execute_script(
            "return getComputedStyle(document.querySelector('#text')).direction"
        )
        == "rtl"
    )


def test_downloads(page: Page, browser: SimpleNamespace) -> None:
    page.find("#text").send_keys('Ann "a,b"')
    page.find("#go").click()
    page.wait()
    for button in page.chrome.find_elements("css selector", ".download"):
        button.click()
        path = browser.downloads / f"ucca.{button.get_attribute('data-what')}"
        for _ in range(100):
            if path.exists() and path.stat().st_size:
                break
            time.sleep(0.1)
        text = path.read_text("utf8")
        if path.suffix == ".csv":
            (row,) = csv.DictReader(path.read_text("utf-8-sig").splitlines())
            assert (
                row["relation"] == "Ann" and row["object"] == '"a,b"' and row["negated"] == "false"
            )
        elif path.suffix == ".json":
            assert Graph.from_json(json.loads(text)).words == ("Ann", '"a,b"')
        elif path.suffix == ".xml":
            assert read_xml(path).words == ("Ann", '"a,b"')
        else:
            assert ElementTree.fromstring(text).tag.endswith("svg")


def test_everything_has_a_name(page: Page) -> None:
    page.find(".example").click()
    page.wait()
    script = """
    return [...document.querySelectorAll('button, textarea, input, [tabindex], svg[role=img]')].map(e =>
      e.getAttribute('aria-label') || (e.labels && e.labels.length && e.labels[0].textContent)
      || e.textContent.trim()).map(Boolean)"""
    named = page.chrome.execute_script(script)
    assert len(named) > 20 and all(named)
    assert page.chrome.execute_script("return document.documentElement.lang") == "en"
    # the field is reached first, and the button next
    page.chrome.get(page.chrome.current_url)
    assert page.chrome.execute_script("return document.activeElement.id") == "text"


def test_the_shipped_pipeline_in_the_browser(browser: SimpleNamespace) -> None:
    path = Path(__file__).parents[2] / "models" / "en_ucca_sm"
    if not path.is_dir():
        pytest.skip("no pipeline ships yet")
    with serving_pipeline(spacy.load(path)) as client:
        page = Page(browser, client.url)
        page.find(".example").click()
        page.wait()
        assert page.words() == ["After", "graduation", ",", "John", "moved", "to", "Paris", "."]
        relations = (
            "return [...document.querySelectorAll('#rows td:nth-child(2)')].map(d => d.textContent)"
        )
        assert page.chrome.execute_script(relations) == ["moved"]
        page.find("#all").click()
        assert page.chrome.execute_script(relations) == ["graduation", "moved"]
        assert page.find("#guidelines").get_property("value") == "v2"
        assert table(page)[0] == [*ALWAYS, "Linkers"]
        page.find("#all").click()
        page.type("If it rains, they can't begin to sell, and we stay.")
        page.find("#go").click()
        page.wait(lambda: "rains" in page.words())
        head, *rows = table(page)
        assert head == [*ALWAYS, *SOMETIMES]
        cells = [dict(zip(head, row, strict=True)) for row in rows]
        assert [row["Linkers"].split("; ")[-1] for row in cells] == ["If", "", "and"]
        assert [(row["Modality"], row["Secondary verbs"]) for row in cells][1] == ("can", "begin")
        assert cells[1]["Conditions"] == "If it rains"
        # A narrow window scrolls the table, not the page.
        for width in (1200, 400):
            page.resize(width)
            inside, across = page.chrome.execute_script(WIDTHS)
            assert across <= inside, width
        page.type("They left")
        page.find("#go").click()
        page.wait(lambda: "rains" not in page.words())
        assert table(page)[0] == [*ALWAYS]
        page.resize(1200)
        assert not page.log()


def test_comparison_page_in_the_browser(
    browser: SimpleNamespace, tmp_path: Path, graphs: list[Graph]
) -> None:
    ours = [graph.without(remotes=True, implicit=True) for graph in graphs]
    page = spacy_ucca.render_comparison(graphs, ours, order="worst")
    (tmp_path / "page.html").write_text(page, "utf8")
    browser.chrome.get((tmp_path / "page.html").as_uri())
    signs = browser.chrome.find_elements("css selector", "section .sign")
    assert len(signs) == page.count('class="sign"') > 0
    browser.chrome.execute_script("arguments[0].scrollIntoView()", signs[0])
    picture = read_png(browser.chrome.find_element("css selector", "section svg").screenshot_as_png)
    red = np.abs(picture.astype(int) - (0xB9, 0x1C, 0x1C)).sum(axis=2) < 12
    assert red.sum() > 30
