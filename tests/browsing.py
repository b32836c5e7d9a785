"""The page of `spacy-ucca serve` in a headless browser, as a user has it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest


@contextmanager
def open_browser(downloads: Path) -> Iterator[SimpleNamespace]:
    """A headless Chromium. It asks nobody for a driver: both programs are those of the system."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    program = next(filter(None, map(shutil.which, names)), None)
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip(
            "no Chromium with its driver (Debian: apt-get install chromium chromium-driver)"
        )
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

    def resize(self, width: int) -> None:
        """Give the page this width, which may be less than that of the narrowest window."""
        size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
        self.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def wait(self, done: Any = None) -> None:
        """Until the server has answered."""
        from selenium.webdriver.support.ui import WebDriverWait

        def answered(_: Any) -> bool:
            shown = self.find("#result").is_displayed() or self.find("#message").is_displayed()
            busy = self.find("#go").get_attribute("aria-disabled")
            return shown and not busy and (done is None or done())

        WebDriverWait(self.chrome, 30).until(answered)

    def words(self) -> list[str]:
        script = "return [...document.querySelectorAll('#picture text.token')].map(t => t.firstChild.data)"
        return self.chrome.execute_script(script)

    def log(self) -> list[dict]:
        return [entry for entry in self.chrome.get_log("browser") if entry["level"] == "SEVERE"]
