"""Sets of tokens as bits of a number: token 0 is the lowest."""

from collections.abc import Iterator


def first_token(mask: int) -> int:
    """RETURNS (int): The first token of a set; -1 for none."""
    return (mask & -mask).bit_length() - 1


def without_gaps(mask: int) -> int:
    """RETURNS (int): A set with all tokens between its first and its last."""
    return (1 << mask.bit_length()) - (mask & -mask)


def iter_tokens(mask: int, start: int = 0) -> Iterator[int]:
    """YIELDS (int): The tokens of a set in order, as `tokens_in`, for those who need the first few."""
    while mask:
        low = mask & -mask
        yield start + low.bit_length() - 1
        mask ^= low


def tokens_in(mask: int, start: int = 0) -> list[int]:
    """RETURNS (List[int]): The tokens of a set in order, given which one its lowest bit stands for."""
    return list(iter_tokens(mask, start))
