"""Addresses in the headers `Host` and `Origin`: whether they are of this machine, and whether they are the same."""

import re
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple

from ..errors import Errors, UccaError

LOCAL_NAMES = ("localhost", "localhost.localdomain")
PORTS = {"http": 80, "https": 443}
# RFC 9110, 7.2: uri-host [":" port], without the percent-encoded names that no client sends
AUTHORITY = re.compile(
    r"(?:\[(?P<ipv6>[0-9a-f:.]+)\]|(?P<name>[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?)(?::(?P<port>[0-9]{0,5}))?"
)
SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")


class Address(NamedTuple):
    """The address of a server, in its normal form.

    scheme (str): "http" or "https".
    host (str): A name in lower case, or an IP address.
    port (Optional[int]): The port; that of the scheme, if none is named.
    """

    scheme: str
    host: str
    port: int | None

    @property
    def is_local(self) -> bool:
        """RETURNS (bool): Whether the host is this machine, whatever a name server says."""
        return self.host in LOCAL_NAMES or is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """RETURNS (bool): Whether a host is an IP address that only this machine can reach."""
    address = _ip(host.partition("%")[0])
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    address = mapped or address
    return address is not None and address.is_loopback


def parse_host(text: str, scheme: str) -> Address | None:
    """Parse the value of the header `Host`.

    text (str): The value.
    scheme (str): "http" or "https".
    RETURNS (Optional[Address]): The address; None if the value is not a host with at most a port.
    """
    match = AUTHORITY.fullmatch(text.lower())
    if not match:
        return None
    host = match["name"] or match["ipv6"]
    address = _ip(host)
    if match["ipv6"] and not isinstance(address, IPv6Address):
        return None
    port = int(match["port"]) if match["port"] else PORTS.get(scheme)
    if port is not None and port > 65535:
        return None
    return Address(scheme, str(address or host), port)


def parse_origin(text: str) -> Address | None:
    """Parse the value of the header `Origin`.

    text (str): The value, such as "https://example.org:8443".
    RETURNS (Optional[Address]): The address; None if the value is not a scheme, a host and at most a port.
    """
    scheme, separator, rest = text.partition("://")
    scheme = scheme.lower()
    if not separator or not SCHEME.fullmatch(scheme):
        return None
    return parse_host(rest, scheme)


def require_origin(text: str) -> Address:
    """RETURNS (Address): An origin that a user has named.
    RAISES (UccaError): If it is none."""
    address = parse_origin(text) if isinstance(text, str) else None
    if address is None:
        raise UccaError(Errors.UC638.format(origin=text))
    return address


def _ip(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None
