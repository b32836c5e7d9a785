"""SAMSA (Sulem, Abend and Rappoport, NAACL 2018): does a simplification keep the Scenes of its source, one to a sentence?"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spacy.tokens import Doc, Span

from ..errors import Errors, UccaError
from ..graph.unit import Unit
from ..tokens.extension import require_graph
from .tokens import form_of, sentences_of


class SceneMatch(NamedTuple):
    """A Scene of the source and the sentence that it is matched to.

    scene (Unit): The Scene.
    sentence (Optional[int]): The number of the sentence; None if no sentence has a word of the Scene.
    relation (float): 1 if the minimal center of its main relation is in the sentence, 0 if not, 0.5 if the center is implicit.
    participants (float): The mean of the same over its participants; 0.5 without any.
    """

    scene: Unit
    sentence: int | None
    relation: float
    participants: float

    @property
    def score(self) -> float:
        """RETURNS (float): The mean of both."""
        return (self.relation + self.participants) / 2


class Samsa(NamedTuple):
    """The score of a simplification.

    samsa (float): The score, from 0 to 1.
    samsa_abl (float): The score without the penalty for Scenes that share a sentence.
    matches (List[SceneMatch]): The Scenes that it comes from.
    """

    samsa: float
    samsa_abl: float
    matches: list[SceneMatch]


def samsa(source: Doc, simplification: Doc | Sequence[Span], *, all_scenes: bool = False) -> Samsa:
    """Score a simplification against its source.

    Each Scene of the source is matched to the sentence that has most of its words; one to one, if there are as many Scenes as
    sentences. SAMSA is the mean of the scores of the Scenes, times the number of sentences over that of Scenes. It is 0 for more
    sentences than Scenes.

    Two things differ from the paper. The paper takes word pairs from a monolingual aligner, which knows paraphrases; here two words
    are a pair if they have the same lemma or, without lemmas, the same form. And by default only Scenes count that its guidelines
    had: since version 2.0 adjectives and possessives are Scenes, so that a simple sentence as its own simplification would get 0.5.

    source (Doc): The source, with a graph.
    simplification (Union[Doc, Sequence[Span]]): The simplification, or its sentences; it needs no graph.
    all_scenes (bool): Count all Scenes of the source.
    RETURNS (Samsa): The scores.
    RAISES (UccaError): If the source has no graph, or the simplification is neither.
    """
    scenes = [s for s in require_graph(source).scenes if all_scenes or is_counted(s)]
    if isinstance(simplification, Doc):
        simplification = sentences_of(simplification)
    if isinstance(simplification, Span | str) or not isinstance(simplification, Iterable):
        raise UccaError(Errors.UC688.format(type=type(simplification).__name__))
    sentences = list(simplification)
    for sentence in sentences:
        if not isinstance(sentence, Span):
            raise UccaError(Errors.UC688.format(type=type(sentence).__name__))
    if not scenes or len(sentences) > len(scenes):
        return Samsa(0.0, 0.0, [])
    matches: list[SceneMatch] = []
    free = set(range(len(sentences)))
    for scene in scenes:
        tokens = _words(source, scene)
        pairs = {i: _paired(source, tokens, sentences[i]) for i in sorted(free)}
        best = max(pairs, key=lambda i: len(pairs[i]), default=None)
        if best is not None and not pairs[best]:
            best = None
        kept = set[int]() if best is None else pairs[best]
        if best is not None and len(sentences) == len(scenes):  # one to one
            free.remove(best)
        shares = [_share(source, unit, kept) for unit in scene.participants] or [0.5]
        relation = _share(source, scene.main_relation, kept)
        matches.append(SceneMatch(scene, best, relation, sum(shares) / len(shares)))
    mean = sum(match.score for match in matches) / len(scenes)
    return Samsa(mean * len(sentences) / len(scenes), mean, matches)


def is_counted(scene: Unit) -> bool:
    """RETURNS (bool): Whether a Scene was one before the guidelines 2.0, by the graph: it is no relation that is a participant
    too ("her sister", "my car", "the buyer"), and within a phrase it has something of its own beside the relation and modifiers
    of that: not "big", "very big" or "sleeping" before a noun."""
    if scene.is_evoked:
        return False
    if scene.scene_kind in ("parallel", "root", "participant"):
        return True
    return any(not edge.child.is_implicit for edge in scene.edges_by("A", "R", "F", remotes=False))


def _words(doc: Doc, unit: Unit) -> list[int]:
    """RETURNS (List[int]): The tokens of a unit, shared ones too, without punctuation and white space."""
    return [i for i in unit.tokens(remotes=True, punct=False) if not doc[i].is_space]


def _share(doc: Doc, unit: Unit | None, kept: set[int]) -> float:
    """RETURNS (float): 1 if all words of the unit's minimal centers are kept, 0 if not, 0.5 if it has none."""
    centers = () if unit is None else unit.minimal_centers
    tokens = {i for center in centers for i in _words(doc, center)}
    return float(tokens <= kept) if tokens else 0.5


def _paired(source: Doc, tokens: Iterable[int], sentence: Span) -> set[int]:
    """RETURNS (Set[int]): The tokens that have a word of their own in the sentence."""
    left = Counter(map(form_of, sentence))
    found = set()
    for i in tokens:
        if left[form_of(source[i])] > 0:
            left[form_of(source[i])] -= 1
            found.add(i)
    return found
