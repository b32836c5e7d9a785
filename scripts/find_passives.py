"""Passives without agent out of labeled text, with the implicit Participant that they need, to learn it from.

    python scripts/find_passives.py en SILVER DATA/train/passives.spacy --n 1500

The guidelines want an implicit Participant for whoever acts in "The door was opened". Annotators leave it out often in English
(EWT: 83 %), nearly always in German and French: of these nothing is written, as the parser is to follow its corpus.
"""

import random
from collections.abc import Iterable, Iterator
from pathlib import Path

import typer
from spacy.tokens import Doc, Token
from spacy.vocab import Vocab

from spacy_ucca.cli._util import user_errors
from spacy_ucca.graph import Graph, GraphBuilder
from spacy_ucca.graph.categories import IMPLICIT
from spacy_ucca.tokens.extension import get_graph, get_guidelines, set_graph
from spacy_ucca.training.corpus import bare_copy, find_docbins, read_docs, write_docbin

LANGUAGES = ("en",)
GUIDELINES = "v2"
PASSIVE, AGENT, PREPOSITION = "aux:pass", "obl:agent", "by"


def has_agent(verb: Token) -> bool:
    """RETURNS (bool): Whether the dependents of a passive say who acts."""
    return any(
        child.dep_ == AGENT
        or (
            child.dep_.startswith("obl")
            and any(t.text.lower() == PREPOSITION for t in child.children)
        )
        for child in verb.children
    )


def passives(doc: Doc) -> Iterator[int]:
    """YIELDS (int): The passive verbs of a Doc that have no agent."""
    for token in doc:
        if any(child.dep_ == PASSIVE for child in token.children) and not has_agent(token):
            yield token.i


def add_participants(graph: Graph, verbs: Iterable[int]) -> Graph | None:
    """Give Scenes of passive verbs an implicit Participant.

    graph (Graph): The graph.
    verbs (Iterable[int]): The tokens of the verbs.
    RETURNS (Optional[Graph]): The graph with them; None if a verb is in no Process of words, or its Scene has an implicit unit.
    """
    builder = GraphBuilder(graph.words, punct=graph.punct, paragraphs=graph.paragraphs)
    builder.add_graph(graph, range(len(graph.words)))
    builder.details = dict(graph.details)
    processes = {
        token: scene
        for scene in graph.scenes
        if (main := scene.main_relation) is not None and main.label == "P"
        for token in main.tokens()
    }
    for verb in verbs:
        scene = processes.get(verb)
        if scene is None or any(edge.child.is_implicit for edge in scene.edges):
            return None
        builder.add_edge(scene.index, builder.add_unit(IMPLICIT), "A")
    return builder.build() if len(builder.edges) > len(graph.edges) else None


@user_errors()
def main(
    lang: str = typer.Argument(..., help="Code of the language"),
    silver: Path = typer.Argument(..., help="Labeled text: .spacy files", exists=True),
    output: Path = typer.Argument(..., help="The .spacy file to write", dir_okay=False),
    n: int = typer.Option(1500, "--n", min=1, help="Number of sentences"),
    seed: int = typer.Option(0, "--seed"),
) -> None:
    """Write sentences with passives."""
    if lang not in LANGUAGES:
        typer.echo(f"No passives: corpora of '{lang}' leave out their implicit Participants.")
        return
    found: list[Doc] = []
    docs = (doc for file in find_docbins(silver) for doc in read_docs(file, Vocab()))
    for doc in docs:
        graph, verbs = get_graph(doc), list(passives(doc))
        if graph is None or not verbs or get_guidelines(doc) != GUIDELINES:
            continue
        if (complete := add_participants(graph, verbs)) is not None:
            copy = bare_copy(doc, keep_annotations=False)
            set_graph(copy, complete)
            found.append(copy)
    if not found:
        typer.echo(f"{silver} has no passives without agent.")
        return
    random.Random(seed).shuffle(found)
    typer.echo(f"{write_docbin(found[:n], output)} of {len(found)} sentences: {output}")


if __name__ == "__main__":
    typer.run(main)
