"""`spacy-ucca.Noise.v1`, an augmenter for the training of a tagger and a dependency parser: other case, no stops, white space."""

import random
from collections.abc import Callable, Iterator
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, Token
from spacy.training import Example
from spacy.util import registry

from .noise import STOPS, change_case, choose_case

SPACES = ("  ", "\n", "\t")
PARAGRAPH_BREAK = "\n\n"


@registry.augmenters("spacy-ucca.Noise.v1")
def create_noise(
    lower: float = 0.1,
    upper: float = 0.05,
    title: float = 0.1,
    no_stop: float = 0.1,
    space: float = 0.05,
    paragraph: float = 0.1,
    seed: int = 0,
) -> Callable[[Language, Example], Iterator[Example]]:
    """Change a share of the examples. The annotation stays that of the words.

    lower (float): The share of examples in lower case.
    upper (float): The share in capitals.
    title (float): The share with capitals on words of four letters or more, as headlines have.
    no_stop (float): The share that loses the stops at the end of sentences.
    space (float): The share that gets some white space between words.
    paragraph (float): The share with a blank line after each sentence.
    seed (int): The seed of the choices.
    RETURNS (Callable[[Language, Example], Iterator[Example]]): The augmenter.
    """
    rng = random.Random(seed)
    shares = {"lower": lower, "upper": upper, "title": title}

    def augment(nlp: Language, example: Example) -> Iterator[Example]:
        case = choose_case(rng, shares)
        stops, spaced, breaks = (rng.random() < share for share in (no_stop, space, paragraph))
        doc = example.reference
        if not len(doc) or not (case or stops or spaced or breaks):
            yield example
            return
        ends = {sent.end - 1 for sent in doc.sents} if doc.has_annotation("SENT_START") else set()
        gone = {i for i in ends if stops and _can_go(doc[i])}
        inserted: dict[int, str] = {}
        if spaced:
            inserted = {i: rng.choice(SPACES) for i in range(len(doc) - 1) if rng.random() < 0.1}
        if breaks:
            inserted |= dict.fromkeys(ends - {len(doc) - 1}, PARAGRAPH_BREAK)
        reference = _changed(doc, case, gone, inserted)
        words, spaces = [t.text for t in reference], [bool(t.whitespace_) for t in reference]
        yield Example(Doc(nlp.vocab, words=words, spaces=spaces), reference)

    return augment


def _can_go(token: Token) -> bool:
    """RETURNS (bool): Whether a token is a stop, not alone in its sentence, and no head."""
    return token.text in STOPS and len(token.sent) > 1 and not any(token.children)


def _changed(doc: Doc, case: str, gone: set[int], inserted: dict[int, str]) -> Doc:
    """RETURNS (Doc): A copy in another case, without some tokens, and with white space after some."""
    written = change_case([token.text for token in doc], case)
    words: list[str] = []
    spaces: list[bool] = []
    sources: list[int] = []  # the token of each word; of white space, the word before it
    is_word: list[bool] = []
    for token in doc:
        if token.i not in gone:
            words.append(written[token.i])
            spaces.append(bool(token.whitespace_))
            sources.append(token.i)
            is_word.append(True)
        elif spaces:
            spaces[-1] = bool(token.whitespace_)
        if token.i in inserted and sources:
            spaces[-1] = False
            words.append(inserted[token.i])
            spaces.append(False)
            sources.append(sources[-1])
            is_word.append(False)
    tokens = [doc[i] for i in sources]
    number = {i: n for n, i in enumerate(sources) if is_word[n]}

    def values(get: Callable[[Token], str]) -> list[str]:
        return [get(token) if real else "" for token, real in zip(tokens, is_word)]

    fields: dict[str, Any] = {
        "tags": values(lambda token: token.tag_),
        "pos": values(lambda token: token.pos_),
        "morphs": values(lambda token: str(token.morph)),
        "lemmas": values(lambda token: token.lemma_),
    }
    if doc.has_annotation("DEP"):
        heads = [number[t.head.i if real else t.i] for t, real in zip(tokens, is_word)]
        deps = [token.dep_ if real else "dep" for token, real in zip(tokens, is_word)]
        fields |= {"heads": heads, "deps": deps}
    elif doc.has_annotation("SENT_START"):
        starts = [bool(t.is_sent_start) and real for t, real in zip(tokens, is_word)]
        fields["sent_starts"] = starts
    return Doc(doc.vocab, words=words, spaces=spaces, **fields)
