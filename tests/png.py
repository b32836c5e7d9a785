"""Screenshots as arrays of pixels: reads the PNG files that browsers write, and nothing beyond that."""

import struct
import zlib

import numpy as np


def read_png(data: bytes) -> np.ndarray:
    """RETURNS (ndarray): The pixels, (height, width, 3), of a PNG of 8 bits without palette or interlacing."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, head = 8, b"", b""
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        kind, content = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            head = content
        elif kind == b"IDAT":
            packed += content
        at += size + 12
    width, height, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", head)
    assert depth == 8 and color in (2, 6) and not interlaced
    n = 3 if color == 2 else 4
    raw = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * n)
    rows = np.zeros((height, width, n), np.uint8)
    above = np.zeros((width, n), np.int32)
    for y in range(height):
        line = raw[y, 1:].reshape(width, n).astype(np.int32)
        rows[y] = above = _unfilter(int(raw[y, 0]), line, above)
    return rows[:, :, :3]


def _unfilter(kind: int, line: np.ndarray, above: np.ndarray) -> np.ndarray:
    if kind == 0:
        return line
    if kind == 1:
        return np.cumsum(line, axis=0) & 255
    if kind == 2:
        return (line + above) & 255
    left = corner = np.zeros(line.shape[1], np.int32)
    out = np.empty_like(line)
    for x in range(len(line)):  # depends on the pixel before it
        up = above[x]
        if kind == 3:
            guess = (left + up) // 2
        else:
            to_left, to_up = abs(up - corner), abs(left - corner)
            to_corner = abs(left + up - 2 * corner)
            nearest_left = (to_left <= to_up) & (to_left <= to_corner)
            guess = np.where(nearest_left, left, np.where(to_up <= to_corner, up, corner))
        left, corner = (line[x] + guess) & 255, up
        out[x] = left
    return out
