"""Texts as people also write them: in lower case, in capitals, as headlines, without the final stop.

`noisy_copies` copies Docs with graphs. `spacy-ucca.Noise.v1` is an augmenter for the training of a tagger and a dependency parser; it adds
white space too.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, Span, Token
from spacy.training import Example
from spacy.util import registry

from ..graph import Graph
from ..graph.categories import PUNCT
from ..graph.edit import subgraph
from ..tokens.extension import get_graph, get_guidelines, set_graph, set_guidelines

STOPS = frozenset(".!?…") | {"...", "?!", "!!", "!!!", "!?", "。", "！", "？"}


def in_case(doc: Doc, case: str) -> Doc:
    """RETURNS (Doc): A copy in another case, see `change_case`, with the graph but without tags and dependencies."""
    words = change_case([token.text for token in doc], case)
    graph = get_graph(doc)
    return _copy(doc, None if graph is None else graph.replace(words=words), words)


def change_case(words: Sequence[str], case: str) -> list[str]:
    """Write words in another case.

    words (Sequence[str]): The words.
    case (str): "lower", "upper" or "title" (capitals on the first word and on words of four letters or more, as headlines have);
        "" changes nothing.
    RETURNS (List[str]): The words in that case.
    """
    if case == "lower":
        return [word.lower() for word in words]
    if case == "upper":
        return [word.upper() for word in words]
    if case == "title":
        return [w[:1].upper() + w[1:] if not i or len(w) > 3 else w for i, w in enumerate(words)]
    return list(words)


def choose_case(rng: random.Random, shares: Mapping[str, float]) -> str:
    """RETURNS (str): One of the cases, each with the probability of its share; otherwise ""."""
    value = rng.random()
    for case, share in shares.items():
        value -= share
        if value < 0:
            return case
    return ""


def without_stop(doc: Doc) -> Doc:
    """Remove the stops at the end of a Doc, if they are punctuation in its graph and words are left.

    doc (Doc): A Doc with a graph.
    RETURNS (Doc): A copy without them; the Doc itself if it does not end in one.
    """
    graph = get_graph(doc)
    end = len(doc)
    while end and graph is not None and doc[end - 1].text in STOPS and _is_alone(graph, end - 1):
        end -= 1
    if graph is None or end == len(doc) or not any(token.is_alpha for token in doc[:end]):
        return doc
    gone = {graph.edge_tuples[graph.index.token_edge[i]].parent for i in range(end, len(doc))}
    units = [unit for unit in range(len(graph.kinds)) if unit not in gone]
    return _copy(doc[:end], subgraph(graph, units=units, tokens=range(end)))


def _is_alone(graph: Graph, token: int) -> bool:
    """RETURNS (bool): Whether a token is the only one of a punctuation unit."""
    edge = graph.index.token_edge[token]
    parent = graph.edge_tuples[edge].parent if edge >= 0 else -1
    return edge >= 0 and graph.kinds[parent] == PUNCT and len(graph.index.out[parent]) == 1


def _copy(doc: Doc | Span, graph: Graph | None, words: list[str] | None = None) -> Doc:
    tokens = list(doc)
    last = len(tokens) - 1
    copied = Doc(
        doc.vocab,
        words=words or [token.text for token in tokens],
        spaces=[bool(token.whitespace_) and i < last for i, token in enumerate(tokens)],
        sent_starts=[token.is_sent_start for token in tokens],
    )
    source = doc if isinstance(doc, Doc) else doc.doc
    set_graph(copied, graph)
    set_guidelines(copied, get_guidelines(source))
    return copied


def noisy_copies(
    docs: Iterable[Doc], *, lower: float, upper: float, title: float, no_stop: float, seed: int = 0
) -> Iterator[Doc]:
    """Copy a share of Docs with noise. A Doc can lose its stop and change its case.

    docs (Iterable[Doc]): Docs with graphs.
    lower (float): The share of Docs that become lower case.
    upper (float): The share of Docs that become upper case.
    title (float): The share of Docs whose words get capitals. No Doc changes its case twice.
    no_stop (float): The share of Docs that lose their final stop.
    seed (int): The seed of the choice.
    YIELDS (Doc): The copies that differ from their Docs, without tags and dependencies: these would be of other words.
    """
    rng = random.Random(seed)
    shares = {"lower": lower, "upper": upper, "title": title}
    for doc in docs:
        case = choose_case(rng, shares)
        copied = without_stop(doc) if rng.random() < no_stop else doc
        copied = in_case(copied, case) if case else copied
        if [token.text for token in copied] != [token.text for token in doc]:
            yield copied


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
        fields["sent_starts"] = [bool(t.is_sent_start) and real for t, real in zip(tokens, is_word)]
    return Doc(doc.vocab, words=words, spaces=spaces, **fields)
