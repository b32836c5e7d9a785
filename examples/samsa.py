"""SAMSA (Sulem, Abend and Rappoport, NAACL 2018): does a simplification keep the Scenes of its source, one to a sentence?

    python examples/samsa.py models/en_ucca_sm "After graduation, John moved to Paris." "John graduated. John moved to Paris."

Each Scene of the source is matched to the sentence of the simplification that has most of its words. It gets half
a point if the minimal center of its main relation is there, and half a point for its participants, by the share whose
minimal centers are there (implicit ones count half). SAMSA is the mean over Scenes, times the number of sentences over
that of Scenes (the penalty for not splitting); with more sentences than Scenes it is 0. SAMSA_abl has no penalty.

The original takes word pairs from a monolingual word aligner (Sultan et al., 2014), which knows paraphrases. Here two
words are a pair if they have the same form but for case, or the same lemma where the pipeline has lemmas, so that
paraphrases count as lost. Both take parsed sources only: the simplification needs nothing but sentences.
"""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import typer
from common import MODEL, graph_of, load, read, run, sentences_of, words
from spacy.tokens import Doc, Span, Token

from spacy_ucca import Unit


class SceneMatch(NamedTuple):
    """A Scene, its sentence (None if none has a word of it), and what is kept of it there, 0 to 1."""

    scene: Unit
    sentence: int | None
    relation: float
    participants: float

    @property
    def score(self) -> float:
        return (self.relation + self.participants) / 2


class Samsa(NamedTuple):
    """The scores of a pair, and the matches they come from."""

    samsa: float
    samsa_abl: float
    matches: list[SceneMatch]


def main(
    model: str = MODEL,
    source: str = typer.Argument(..., help="A sentence, or a file"),
    simplification: str = typer.Argument(..., help="Its simplification, or a file"),
):
    """Score a simplification against its source."""
    nlp = load(model)
    doc, simple = nlp(read(source)), nlp(read(simplification))
    sentences = sentences_of(simple)
    scores = samsa(doc, sentences)
    print(f"SAMSA {scores.samsa:.3f}, without the penalty {scores.samsa_abl:.3f}")
    for scene, number, relation, participants in scores.matches:
        place = "(nowhere)" if number is None else sentences[number].text
        kept = f"relation {relation:.1f}, participants {participants:.2f}"
        print(f"{words(scene, doc, remotes=True)} -> {place} [{kept}]")


def samsa(source: Doc, sentences: list[Span]) -> Samsa:
    """Score a simplification.

    source (Doc): The source, with a graph.
    sentences (List[Span]): The sentences of the simplification.
    RETURNS (Samsa): The scores, from 0 to 1.
    """
    scenes = graph_of(source).scenes
    if not scenes or len(sentences) > len(scenes):
        return Samsa(0.0, 0.0, [])
    matches: list[SceneMatch] = []
    free = set(range(len(sentences)))
    for scene in scenes:
        tokens = scene.tokens(remotes=True, punct=False)
        pairs = {i: paired(source, tokens, sentences[i]) for i in sorted(free)}
        best = max(pairs, key=lambda i: len(pairs[i]), default=None)
        kept = pairs[best] if best is not None else set()
        if not kept:
            best = None
        elif len(sentences) == len(scenes):  # one to one
            free.discard(best)
        shares = [share(unit, kept) for unit in scene.participants] or [0.5]
        relation = share(scene.main_relation, kept)
        matches.append(SceneMatch(scene, best, relation, sum(shares) / len(shares)))
    mean = sum(match.score for match in matches) / len(scenes)
    return Samsa(mean * len(sentences) / len(scenes), mean, matches)


def share(unit: Unit, kept: set[int]) -> float:
    """RETURNS (float): 1 if all words of the unit's minimal centers are kept, 0 if not, 0.5 if it has none."""
    tokens = {
        i for center in unit.minimal_centers for i in center.tokens(remotes=True, punct=False)
    }
    return float(tokens <= kept) if tokens else 0.5


def paired(source: Doc, tokens: Iterable[int], sentence: Span) -> set[int]:
    """RETURNS (Set[int]): Which of the tokens have a word of their own in the sentence."""
    left = Counter(map(form, sentence))
    found = set()
    for i in tokens:
        if left[form(source[i])] > 0:
            left[form(source[i])] -= 1
            found.add(i)
    return found


def form(token: Token) -> str:
    """RETURNS (str): What is compared of a word."""
    return (token.lemma_ or token.text).casefold()


if __name__ == "__main__":
    run(main)
