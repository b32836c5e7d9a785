"""Forget the words of training texts: a pipeline knows words by their hashes, and needs no list of them.

    python scripts/keep_strings.py PIPELINE SYNTAX

Of PIPELINE's strings, those that SYNTAX has too are kept (the pipeline that its tagger and parser come from), and labels.
"""

import sys
from pathlib import Path

import srsly


def keep_strings(pipeline: Path, syntax: Path) -> int:
    """Shorten a pipeline's list of strings.

    pipeline (Path): The pipeline, which is changed.
    syntax (Path): The pipeline whose strings stay.
    RETURNS (int): How many strings went.
    """
    strings = Path("vocab") / "strings.json"
    kept = set(srsly.read_json(syntax / strings))
    for labels in srsly.read_json(pipeline / "meta.json")["labels"].values():
        kept.update(labels)
    before = srsly.read_json(pipeline / strings)
    after = [string for string in before if string in kept]
    srsly.write_json(pipeline / strings, after)
    return len(before) - len(after)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(f"{keep_strings(*map(Path, sys.argv[1:]))} strings of training texts are forgotten.")
