"""How much of what two texts say is the same: F1 over predications."""

from collections import Counter
from collections.abc import Iterator

from spacy.tokens import Doc, Span

from ..extract import Argument, Predication, predications
from ..tokens.extension import require_graph
from .docs import form_of
from .usim import Similarity

Fact = tuple[str, ...]


def predication_f1(doc: Doc, other: Doc) -> Similarity:
    """Compare two texts by who does what to whom.

    A text is a bag of facts. Each Scene gives one for its relation, and one for its subject, object, each other participant,
    time, adverbial, modal verb and linker. A fact has the lemma of the relation, whether the text denies it, the role, and the
    lemma of the head. The measure is F1 over the facts of both texts: it is the same in both directions, and 1 for a text and
    itself.

    Passives count as their actives, and an exchange of roles, of two linked Scenes, or a negation lowers the measure. It knows no
    synonyms and no coreference, and it is as good as the parser and the lemmatizer are. It is no published measure.

    doc (Doc): A Doc with a graph, best with tags, lemmas and dependencies.
    other (Doc): Another.
    RETURNS (Similarity): From 0 to 1.
    RAISES (UccaError): If a Doc has no graph.
    """
    graphs = [require_graph(each) for each in (doc, other)]
    left, right = (Counter(_facts(each)) for each in (doc, other))
    if not left and not right:
        same = float(graphs[0].words == graphs[1].words)
        return Similarity(same, same, same)
    shared = (left & right).total()
    return Similarity.of(shared / max(left.total(), 1), shared / max(right.total(), 1))


def _facts(doc: Doc) -> Iterator[Fact]:
    """YIELDS (Tuple[str, ...]): The facts of a text."""
    for each in predications(doc):
        head = "" if each.head is None else form_of(each.head)
        relation = (head, "not" if each.is_negated else "")
        yield relation
        for role, value in _roles(each):
            yield (*relation, role, value)


def _roles(each: Predication) -> Iterator[tuple[str, str]]:
    arguments: list[tuple[str, Argument | None]] = [
        ("subject", each.subject),
        ("object", each.object),
        *(("other", argument) for argument in each.others),
    ]
    for role, argument in arguments:
        if argument is not None and argument.head is not None:
            yield role, form_of(argument.head)
    spans: list[tuple[str, Span]] = [
        *(("time", span) for span in each.times),
        *(("place", span) for span in each.places),
        *(("adverbial", span) for span in each.adverbials),
        *(("linker", link.span) for link in each.links),
    ]
    for role, span in spans:
        yield role, " ".join(form_of(token) for token in span if not token.is_space)
    yield from (("modality", form_of(token)) for token in each.modality)
