"""Forget the words of training texts: a pipeline knows words by their hashes, and needs no list of them.

    python scripts/keep_strings.py PIPELINE

Of the strings of PIPELINE, labels are kept. Features of its morphologizer are added: a component that is sourced into another
pipeline brings its strings along, and no others.
"""

import sys
from pathlib import Path

import srsly
from spacy.language import Language

from spacy_ucca.cli._pipelines import load_pipeline
from spacy_ucca.errors import UccaError


def keep_strings(pipeline: Path) -> int:
    """Shorten a pipeline's list of strings.

    pipeline (Path): The pipeline, which is changed.
    RETURNS (int): How many strings went.
    RAISES (UccaError): If it cannot be loaded.
    """
    nlp = load_pipeline(str(pipeline.absolute()))
    path = pipeline / "vocab" / "strings.json"
    before = srsly.read_json(path)
    features = feature_strings(nlp)
    kept = {str(label) for labels in nlp.meta["labels"].values() for label in labels}
    after = [string for string in before if string in kept]
    srsly.write_json(path, [*after, *sorted(features.difference(after))])
    return len(before) - len(after)


def feature_strings(nlp: Language) -> set[str]:
    """RETURNS (Set[str]): What a morphologizer sets ("Number=Sing|Person=3"), its features, and their names and values."""
    found: set[str] = set()
    for _, component in nlp.components:
        for features in getattr(component, "cfg", {}).get("labels_morph", {}).values():
            for feature in features.split("|"):
                found.update((features, feature, *feature.split("=")))
    return found - {""}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        print(f"{keep_strings(Path(sys.argv[1]))} strings of training texts are forgotten.")
    except (UccaError, OSError) as err:
        sys.exit(f"Error: {err}")
