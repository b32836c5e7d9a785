"""What graphs are used for: sentence splitting, SAMSA, USim, an index of Scenes. Each takes Docs with graphs."""

from .index import SceneHit, SceneIndex
from .meaning import predication_f1
from .samsa import Samsa, SceneMatch, samsa
from .splitting import SplitSentence, split_sentences
from .usim import Similarity, usim

__all__ = [
    "Samsa",
    "SceneHit",
    "SceneIndex",
    "SceneMatch",
    "Similarity",
    "SplitSentence",
    "predication_f1",
    "samsa",
    "split_sentences",
    "usim",
]
