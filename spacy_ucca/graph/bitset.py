"""Sets of tokens as bits of a number: token 0 is the lowest."""


def first_token(mask: int) -> int:
    """RETURNS (int): The first token of a set; -1 for none."""
    return (mask & -mask).bit_length() - 1


def tokens_in(mask: int, start: int = 0) -> list[int]:
    """RETURNS (List[int]): The tokens of a set in order, given which one its lowest bit stands for."""
    tokens = []
    while mask:
        low = mask & -mask
        tokens.append(start + low.bit_length() - 1)
        mask ^= low
    return tokens
