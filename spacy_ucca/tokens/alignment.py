"""Align the tokens of a predicted Doc with those of its reference."""

from spacy.training import Example


def reference_tokens(example: Example) -> list[int]:
    """RETURNS (List[int]): For each token of the predicted Doc, the one token of the reference that is the same; -1
    where there is none."""
    predicted, reference = example.predicted, example.reference
    if [t.text for t in predicted] == [t.text for t in reference]:
        return [*range(len(predicted))]
    to_reference, to_predicted = example.alignment.x2y, example.alignment.y2x
    tokens = []
    start = 0
    for length in (int(n) for n in to_reference.lengths):
        token = int(to_reference.data[start]) if length == 1 else -1
        tokens.append(token if token >= 0 and int(to_predicted.lengths[token]) == 1 else -1)
        start += length
    return tokens
