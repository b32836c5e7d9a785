"""`Host` and `origins`: which hosts are this machine, and which sites may ask."""

from typing import Any

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from serving import Client, serving, stand_in

from spacy_ucca.errors import UccaError
from spacy_ucca.serve.app import build_app
from spacy_ucca.serve.guard import HOST, is_local

LOCAL = """localhost LOCALHOST localhost. localhost:1 localhost: localhost.localdomain:5050 127.0.0.1 127.0.0.1.:80 127.255.0.9
[::1] [::1]:5050 [0:0:0:0:0:0:0:1] [::0001] [::ffff:127.0.0.1]""".split()
NOT_LOCAL = """example.org localhost.example.org 127.0.0.1.example.org 127.example.org 0.0.0.0 [::] 10.0.0.1 192.168.1.1
[::2] [::ffff:10.0.0.1] [fe80::1] xn--localhost-1ya 127.1 2130706433 0x7f.0.0.1 1.localhost.org localhost-x
localhosts""".split()
NO_HOSTS = [
    *("[::1].evil.com", "[::1]evil.com", "[::1", "::1", "[::1]:x", "[localhost]", "[]"),
    *("user@localhost", "user:pass@localhost:80", "localhost@evil.com", "evil.com#localhost", "evil.com/localhost"),
    *("localhost/", "localhost:-1", "localhost:80:80", "localhost:٣", "localhost, evil.com"),
    *("", ".", "..", "localhost..", ".localhost", " localhost", "localhost ", "local\thost", "localhost\n"),
    *("lo\u0441alhost", "ⓛocalhost", "localhost%00", "%6cocalhost", "localhost\\evil.com", "127.0.0.1?"),
]  # fmt: skip
LABELS = st.text("ab1-", min_size=1, max_size=5)
NAMES = st.lists(LABELS, min_size=1, max_size=4).map(".".join)


def is_answered(host: str) -> bool:
    """RETURNS (bool): Whether a server of this machine alone answers to a header `Host`."""
    match = HOST.fullmatch(host.lower())
    return match is not None and is_local(match[1] or match[2])


@pytest.mark.parametrize("host", LOCAL)
def test_names_of_this_machine(host: str) -> None:
    assert is_answered(host)


@pytest.mark.parametrize("host", NOT_LOCAL + NO_HOSTS)
def test_names_of_others_and_what_is_no_name(host: str) -> None:
    assert not is_answered(host)


@given(NAMES, st.sampled_from(LOCAL))
def test_no_name_becomes_local_by_what_stands_before_or_behind(name: str, local: str) -> None:
    for host in (f"{local}.{name}", f"{name}.{local}", f"{local}@{name}", f"{name}@{local}"):
        assert not is_answered(host)


@given(st.text(max_size=30))
def test_any_text_is_answered_or_not(host: str) -> None:
    assert is_answered(host) in (True, False)


def preflight(client: Client, origin: str) -> tuple[int, Any]:
    """Ask as a browser does before it sends JSON from a page of another site. RETURNS (Tuple[int, Any]): The status, and the
    headers."""
    asked = {"Access_Control_Request_Method": "POST"}
    headers = {**asked, "Access_Control_Request_Headers": "content-type", "Origin": origin}
    return client.ask("OPTIONS", "/parse", **headers)[::2]


def test_browsers_ask_and_send_nothing_from_other_sites(client: Client) -> None:
    own = f"http://localhost:{client.port}"
    for origin in (own, "https://example.org", "http://localhost", "null", "", f"{own}.evil.com"):
        status, headers = preflight(client, origin)
        assert status == 405 and "Access-Control-Allow-Origin" not in headers
        # What browsers send without asking is not JSON.
        for kind in ("text/plain", "multipart/form-data", "application/x-www-form-urlencoded", ""):
            body = b'{"text": "a"}'
            answer = client.ask("POST", "/parse", body, Content_Type=kind, Origin=origin)
            assert answer[0] == 415 and "Access-Control-Allow-Origin" not in answer[2]


def test_sites_that_the_builder_names_may_ask() -> None:
    nlp, _ = stand_in()
    sites = ["https://Example.org:443", "http://localhost:8000"]
    with serving(build_app(nlp, origins=sites)) as client:
        for origin in ("https://example.org", "http://localhost:8000"):
            status, headers = preflight(client, origin)
            assert status == 200 and headers["Access-Control-Allow-Origin"] == origin
            for text, expected in (("a", 200), ("", 400)):
                request = {"text": text}
                status, _, headers = client.ask("POST", "/parse", request, Origin=origin)
                assert status == expected and headers["Access-Control-Allow-Origin"] == origin
        for origin in (
            *("http://example.org", "https://example.org:444", "https://a.example.org", "null"),
            *("https://example.org.evil.com", "http://localhost:80000", "https://example.org:443"),
        ):
            status, headers = preflight(client, origin)
            assert status == 400 and "Access-Control-Allow-Origin" not in headers


def test_builder_says_what_is_wrong() -> None:
    with pytest.raises(UccaError, match="UC630"):
        build_app(spacy.blank("en"))
    nlp, _ = stand_in()
    for origin in ("example.org", "https://example.org/", "https://a@b", "null", "*", "", None):
        with pytest.raises(UccaError, match="UC638"):
            build_app(nlp, origins=[origin])  # type: ignore[list-item]
