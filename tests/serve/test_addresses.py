"""`Host` and `Origin`: which addresses are this machine's, and which are the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_ucca.serve.addresses import Address, parse_host, parse_origin

LOCAL = """localhost LOCALHOST localhost. localhost:1 localhost: localhost.localdomain:5050 127.0.0.1 127.0.0.1.:80 127.255.0.9
[::1] [::1]:5050 [0:0:0:0:0:0:0:1] [::0001] [::ffff:127.0.0.1]""".split()
NOT_LOCAL = """example.org localhost.example.org 127.0.0.1.example.org 127.example.org 0.0.0.0 [::] 10.0.0.1 192.168.1.1
[::2] [::ffff:10.0.0.1] [fe80::1] xn--localhost-1ya 127.1 2130706433 0x7f.0.0.1 1.localhost.org localhost-x
localhosts""".split()
NO_HOSTS = [
    *("[::1].evil.com", "[::1]evil.com", "[::1", "::1", "[::1]:", "[::1]:x", "[127.0.0.1]", "[localhost]", "[]"),
    *("user@localhost", "user:pass@localhost:80", "localhost@evil.com", "evil.com#localhost", "evil.com/localhost"),
    *("localhost/", "localhost:65536", "localhost:-1", "localhost:80:80", "localhost:٣", "localhost, evil.com"),
    *("", ".", "..", "localhost..", ".localhost", "a..b", " localhost", "localhost ", "local\thost", "localhost\n"),
    *("lo\u0441alhost", "ⓛocalhost", "localhost%00", "%6cocalhost", "localhost\\evil.com", "127.0.0.1?"),
]  # fmt: skip
SCHEMES = st.sampled_from(["http", "https"])
LABELS = st.text("ab1-", min_size=1, max_size=5)
NAMES = st.lists(LABELS, min_size=1, max_size=4).map(".".join)
HOSTS = NAMES | st.ip_addresses(v=4).map(str) | st.ip_addresses(v=6).map("[{}]".format)
PORTS = st.integers(0, 65535)


@pytest.mark.parametrize("text", LOCAL)
def test_addresses_of_this_machine(text: str) -> None:
    address = parse_host(text, "http")
    assert address and address.is_local


@pytest.mark.parametrize("text", NOT_LOCAL)
def test_addresses_of_others(text: str) -> None:
    address = parse_host(text, "http")
    assert address and not address.is_local


@pytest.mark.parametrize("text", [text for text in NO_HOSTS if text != "[::1]:"])
def test_what_is_no_address(text: str) -> None:
    assert parse_host(text, "http") is None
    assert parse_origin(f"http://{text}") is None


@given(NAMES, st.sampled_from(LOCAL))
def test_no_name_becomes_local_by_what_stands_before_or_behind(name: str, local: str) -> None:
    for text in (f"{local}.{name}", f"{name}.{local}", f"{local}@{name}", f"{name}@{local}"):
        address = parse_host(text, "http")
        assert address is None or not address.is_local


@given(SCHEMES, HOSTS, PORTS)
def test_origins_are_compared_whole(scheme: str, host: str, port: int) -> None:
    address = parse_origin(f"{scheme}://{host}:{port}")
    assert address == parse_host(f"{host}:{port}", scheme) is not None
    assert address == parse_origin(f"{scheme.upper()}://{host.upper()}:{port}")
    default = {"http": 80, "https": 443}[scheme]
    assert parse_origin(f"{scheme}://{host}") == parse_origin(f"{scheme}://{host}:{default}")
    other = "https" if scheme == "http" else "http"
    for different in (
        f"{other}://{host}:{port}",
        f"{scheme}://{host}:{(port + 1) % 65536}",
        f"{scheme}://x{host}:{port}",
    ):
        assert parse_origin(different) != address
    for no_origin in (f"{scheme}://{host}:{port}/", f"{host}:{port}", f"{scheme}:{host}", "null"):
        assert parse_origin(no_origin) is None


@given(st.text(max_size=30), SCHEMES)
def test_any_text_is_an_address_or_none(text: str, scheme: str) -> None:
    for found in (parse_host(text, scheme), parse_origin(text)):
        assert found is None or isinstance(found, Address)
