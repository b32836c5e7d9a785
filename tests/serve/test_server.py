"""`spacy-ucca serve`: what the server answers, and the page in a headless browser: a click and a screenshot."""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import spacy
from png import read_png
from spacy.language import Language
from spacy.tokenizer import Tokenizer
from typer.testing import CliRunner

import spacy_ucca
from spacy_ucca.cli import app
from spacy_ucca.drawing.render import COLORS, render_svg, render_tree
from spacy_ucca.errors import UccaError
from spacy_ucca.formats.xml import read_xml
from spacy_ucca.graph import Graph, GraphBuilder
from spacy_ucca.serve.server import (
    EXAMPLES,
    MAX_BODY,
    MAX_TEXT,
    UccaServer,
)

EVIL = "<img src=x onerror=alert(1)> <script>window.hacked=1</script> \"'&amp; ]]> </textarea>"


@Language.factory("stand_in_parser")
class StandIn:
    """Sets a graph of one Scene, its first word the process: a parser for tests of the page."""

    def __init__(self, nlp: Language, name: str) -> None:
        self.running = self.most = 0
        self.delay = 0.0

    def __call__(self, doc: spacy.tokens.Doc) -> spacy.tokens.Doc:
        self.running += 1
        self.most = max(self.most, self.running)
        time.sleep(self.delay)
        if "FAIL" in doc.text:
            self.running -= 1
            raise RuntimeError("as asked")
        builder = GraphBuilder([token.text for token in doc])
        root, scene = builder.add_unit(), builder.add_unit()
        builder.add_edge(root, scene, "H")
        for token in doc:
            unit = builder.add_unit()
            builder.add_edge(scene, unit, "A" if token.i else "P")
            builder.add_terminal(unit, token.i)
        doc._.ucca = builder.build()
        self.running -= 1
        return doc


class Client:
    """Asks a server in this process."""

    def __init__(self, server: UccaServer) -> None:
        self.server = server
        self.url = server.url
        self.host, self.port = server.server_address[:2]

    def ask(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> tuple[int, Any, http.client.HTTPMessage]:
        connection = http.client.HTTPConnection(str(self.host), self.port, timeout=60)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        data = response.read().decode("utf8")
        connection.close()
        is_json = "json" in (response.headers["Content-Type"] or "")
        return response.status, json.loads(data) if is_json and data else data, response.headers

    def parse(self, text: Any, **headers: str) -> tuple[int, Any]:
        return self.ask("POST", "/parse", {"text": text}, **headers)[:2]


def serving(nlp: Language) -> Iterator[Client]:
    server = UccaServer(nlp, "127.0.0.1", 0)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield Client(server)
    server.shutdown()
    server.server_close()
    thread.join(5)


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    nlp = spacy.blank("en")
    nlp.tokenizer = Tokenizer(nlp.vocab)  # at white space alone, so that markup stays whole
    nlp.add_pipe("stand_in_parser")
    yield from serving(nlp)


# What the server answers


def test_page_is_whole_and_needs_nothing_else(client: Client) -> None:
    status, page, headers = client.ask("GET", "/")
    assert status == 200 and headers["Content-Type"] == "text/html; charset=utf-8"
    assert page.startswith("<!DOCTYPE html>") and page.rstrip().endswith("</html>")
    assert not any(mark in page for mark in ("http://", "https://", "//cdn", "@import", "url("))
    nonce = headers["Content-Security-Policy"].split("'nonce-")[1].split("'")[0]
    assert page.count("<script") == page.count(f'<script nonce="{nonce}">') == 1
    assert nonce not in client.ask("GET", "/")[1]
    assert all(text in page for text in EXAMPLES["en"])
    assert client.ask("HEAD", "/")[:2] == (200, "")


def test_answer_has_the_graph_in_all_forms(client: Client, tmp_path: Path) -> None:
    status, answer = client.parse("Ann left\nParis .\n\nBob   stayed")
    assert status == 200
    graph = Graph.from_record(json.loads(answer["json"]))
    assert graph.words == ("Ann", "left", "Paris", ".", "Bob", "stayed")
    assert len(graph.roots) == 2
    assert answer["svg"] == render_svg(graph) and answer["tree"] == render_tree(graph)
    (tmp_path / "a.xml").write_text(answer["xml"], "utf8")
    assert read_xml(tmp_path / "a.xml").words == graph.words
    assert answer["direction"] == "ltr"
    assert answer["summary"].startswith("2 sentences, 6 tokens, 2 Scenes")


@pytest.mark.parametrize(
    "text",
    [
        EVIL,
        "👩‍👩‍👧 ❤️ 🎉",
        "שלום עולם.",
        "مرحبا بالعالم",
        "\u202eabc\x00\x07",
        "word " * 1000,
        "x" * MAX_TEXT,
    ],
)
def test_any_text_gives_well_formed_answers(client: Client, text: str) -> None:
    status, answer = client.parse(text)
    assert status == 200, answer
    svg = ElementTree.fromstring(answer["svg"])
    ElementTree.fromstring(answer["xml"])
    tags = {element.tag.rpartition("}")[2] for element in svg.iter()}
    assert tags <= {"svg", "g", "path", "rect", "circle", "text", "title"}
    assert not any(name.startswith("on") for element in svg.iter() for name in element.attrib)
    rtl = spacy_ucca.drawing.html.is_rtl([text])
    assert answer["direction"] == ("rtl" if rtl else "ltr")


@pytest.mark.parametrize(
    ("text", "status", "code"),
    [
        ("", 400, "UC622"),
        (" \n\t ", 400, "UC622"),
        (None, 400, "UC624"),
        (["a"], 400, "UC624"),
        ("a" * (MAX_TEXT + 1), 413, "UC623"),
        ("half \ud83d", 400, "UC629"),
        ("please FAIL", 500, "UC626"),
    ],
)
def test_texts_that_cannot_be_parsed(client: Client, text: Any, status: int, code: str) -> None:
    found, answer = client.parse(text)
    assert found == status and f"[{code}]" in answer["error"]
    assert "Traceback" not in answer["error"]
    assert client.parse("And on it goes")[0] == 200


def test_requests_that_are_none_of_the_page(client: Client) -> None:
    ask = client.ask
    assert ask("GET", "/etc/passwd")[0] == ask("GET", "/../x")[0] == 404
    assert ask("POST", "/", {"text": "a"})[0] == 404
    assert ask("PUT", "/parse", {"text": "a"})[0] == 501
    for body in (b"{", b"\xff", b"[" * 50_000, b'"a"'):
        status, answer, _ = ask("POST", "/parse", body)
        assert status == 400 and "UC624" in answer["error"]
    assert ask("POST", "/parse", b"x" * (MAX_BODY + 1))[0] == 413
    assert ask("POST", "/parse", b"text=a", Content_Type="text/plain")[0] == 415
    for length in ("-1", "x", "9" * 30):
        assert ask("POST", "/parse", b"{}", Content_Length=length)[0] in (411, 413)
    # a page elsewhere, by its name or by a name of its own for this machine
    assert client.parse("a", Origin="https://example.org")[0] == 403
    assert client.parse("a", Host="example.org")[0] == 403
    assert ask("GET", "/", Host="example.org:80")[0] == 403
    own = f"localhost:{client.port}"
    assert client.parse("a", Host=own, Origin=f"http://{own}")[0] == 200


def test_one_text_at_a_time(client: Client) -> None:
    pipe = client.server.nlp.get_pipe("stand_in_parser")
    pipe.delay, pipe.most = 0.1, 0
    found = []
    threads = [
        threading.Thread(target=lambda i=i: found.append(client.parse(f"text {i}")))
        for i in range(4)
    ]
    for thread in threads:
        thread.start()
    assert client.ask("GET", "/")[0] == 200  # the page is there all the while
    for thread in threads:
        thread.join()
    pipe.delay = 0.0
    assert [status for status, _ in found] == [200] * 4
    assert pipe.most == 1


def test_addresses_that_cannot_be_used(client: Client) -> None:
    nlp = client.server.nlp
    with pytest.raises(UccaError, match=r"UC620.*--port"):
        UccaServer(nlp, "127.0.0.1", client.port)
    for host in ("192.0.2.1", "no such host"):
        with pytest.raises(UccaError, match="UC621"):
            UccaServer(nlp, host, 0)


# The command


@pytest.fixture(scope="module")
def model(tree: Language, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("serve") / "model"
    tree.to_disk(path)
    return path


def test_command_says_what_is_wrong(model: Path, client: Client, tmp_path: Path) -> None:
    spacy.blank("en").to_disk(tmp_path / "blank")
    for arguments, code in (
        ([str(tmp_path / "none")], "UC508"),
        ([str(tmp_path / "blank")], "UC630"),
        ([str(model), "--port", str(client.port)], "UC620"),
    ):
        result = CliRunner().invoke(app, ["serve", "--no-open", *arguments])
        assert result.exit_code == 1 and code in result.stderr
        assert isinstance(result.exception, SystemExit)


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGINT for one process on Windows")
def test_ctrl_c_ends_it(model: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "spacy_ucca", "serve", str(model), "--port", "0", "--no-open"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        # as in a terminal, not as in a script in the background, which may ignore it
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    line = process.stdout.readline()
    port = int(line.split("127.0.0.1:")[1].split("/")[0])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/")
    assert connection.getresponse().status == 200
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 0, err
    assert "Traceback" not in out + err and "Stopped" in err
    with socket.socket() as free:
        assert free.connect_ex(("127.0.0.1", port)) != 0


# The page in a browser


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """A headless Chromium. It asks nobody for a driver: both programs are those of the system."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    program = next(filter(None, map(shutil.which, names)), None)
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip(
            "no Chromium with its driver (Debian: apt-get install chromium chromium-driver)"
        )
    downloads = tmp_path_factory.mktemp("downloads")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in (
        *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
        *("--window-size=1200,1000", "--force-device-scale-factor=1", "--no-first-run"),
        # no other host has an address
        *("--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", "--disable-extensions"),
    ):
        options.add_argument(argument)
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(executable_path=driver)
    chrome = webdriver.Chrome(options=options, service=service)
    chrome.set_page_load_timeout(60)
    yield SimpleNamespace(chrome=chrome, downloads=downloads)
    chrome.quit()


class Page:
    """The page in a browser, as a user has it."""

    def __init__(self, browser: SimpleNamespace, url: str) -> None:
        self.chrome = browser.chrome
        self.chrome.get(url)
        self.chrome.get_log("browser")  # what other pages have left there

    def find(self, selector: str) -> Any:
        return self.chrome.find_element("css selector", selector)

    def type(self, text: str) -> None:
        # Keys beyond the BMP cannot be sent.
        self.chrome.execute_script("arguments[0].value = arguments[1]", self.find("#text"), text)

    def wait(self, done: Any = None) -> None:
        """Until the server has answered."""
        from selenium.webdriver.support.ui import WebDriverWait

        def answered(_: Any) -> bool:
            shown = self.find("#result").is_displayed() or self.find("#message").is_displayed()
            return shown and self.find("#go").is_enabled() and (done is None or done())

        WebDriverWait(self.chrome, 30).until(answered)

    def words(self) -> list[str]:
        script = "return [...document.querySelectorAll('#picture text.token')].map(t => t.firstChild.data)"
        return self.chrome.execute_script(script)

    def log(self) -> list[dict]:
        return [entry for entry in self.chrome.get_log("browser") if entry["level"] == "SEVERE"]


@pytest.fixture
def page(browser: SimpleNamespace, client: Client) -> Page:
    return Page(browser, client.url)


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
    assert len(np.unique(whole.reshape(-1, 3), axis=0)) > 50
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


def test_keyboard_and_examples(page: Page) -> None:
    from selenium.webdriver.common.keys import Keys

    page.find("#text").send_keys("Bob stayed", Keys.CONTROL, Keys.ENTER)
    page.wait()
    assert page.words() == ["Bob", "stayed"]
    page.find(".example").click()
    page.wait(lambda: len(page.words()) > 2)
    assert page.find("#text").get_property("value") == EXAMPLES["en"][0]
    assert "graduation," in page.words()


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
    page.find("#go").click()
    page.wait()
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
    assert (
        page.chrome.execute_script(
            "return getComputedStyle(document.querySelector('#text')).direction"
        )
        == "rtl"
    )


def test_downloads(page: Page, browser: SimpleNamespace) -> None:
    page.find("#text").send_keys("Ann left")
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
        if path.suffix == ".json":
            assert Graph.from_record(json.loads(text)).words == ("Ann", "left")
        elif path.suffix == ".xml":
            assert read_xml(path).words == ("Ann", "left")
        else:
            assert ElementTree.fromstring(text).tag.endswith("svg")


def test_everything_has_a_name(page: Page) -> None:
    page.find(".example").click()
    page.wait()
    script = """
    return [...document.querySelectorAll('button, textarea, [tabindex], svg[role=img]')].map(e =>
      e.getAttribute('aria-label') || (e.labels && e.labels.length && e.labels[0].textContent)
      || e.textContent.trim()).map(Boolean)"""
    named = page.chrome.execute_script(script)
    assert len(named) > 7 and all(named)
    assert page.chrome.execute_script("return document.documentElement.lang") == "en"
    # the field is reached first, and the button next
    page.chrome.get(page.chrome.current_url)
    assert page.chrome.execute_script("return document.activeElement.id") == "text"


def test_the_shipped_pipeline_in_the_browser(browser: SimpleNamespace) -> None:
    path = Path(__file__).parents[2] / "models" / "en_ucca_sm"
    if not path.is_dir():
        pytest.skip("no pipeline ships yet")
    for client in serving(spacy.load(path)):
        page = Page(browser, client.url)
        page.find(".example").click()
        page.wait()
        assert page.words() == ["After", "graduation", ",", "John", "moved", "to", "Paris", "."]
        assert not page.log()


def test_comparison_page_in_the_browser(
    browser: SimpleNamespace, tmp_path: Path, graphs: list[Graph]
) -> None:
    ours = [graph.without(remotes=True, implicit=True) for graph in graphs]
    page = spacy_ucca.render_comparison(graphs, ours, worst=True)
    (tmp_path / "page.html").write_text(page, "utf8")
    browser.chrome.get((tmp_path / "page.html").as_uri())
    signs = browser.chrome.find_elements("css selector", "section .sign")
    assert len(signs) == page.count('class="sign"') > 0
    browser.chrome.execute_script("arguments[0].scrollIntoView()", signs[0])
    picture = read_png(browser.chrome.find_element("css selector", "section svg").screenshot_as_png)
    red = np.abs(picture.astype(int) - (0xB9, 0x1C, 0x1C)).sum(axis=2) < 12
    assert red.sum() > 30
