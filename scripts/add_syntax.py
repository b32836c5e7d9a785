"""Give a pipeline the components of another that it lacks: coarse tags and lemmas, which `ucca_parser` does not read.

    python scripts/add_syntax.py PIPELINE SYNTAX

PIPELINE and SYNTAX have the same tagger and parser. What else SYNTAX has, such as `morphologizer` and `lemmatizer` of
configs/morphology.cfg, is put after them; PIPELINE is changed. Training has no use for these components.
"""

import sys
from pathlib import Path

import spacy


def add_syntax(pipeline: Path, syntax: Path) -> list[str]:
    """Add components, with the callbacks that go with them.

    pipeline (Path): The pipeline, which is changed.
    syntax (Path): The pipeline with the same tagger and parser, and more components.
    RETURNS (List[str]): The names of the components that were added.
    """
    nlp, source = spacy.load(pipeline), spacy.load(syntax)
    names = [name for name in source.pipe_names if name not in nlp.pipe_names]
    last = [name for name in nlp.pipe_names if name in source.pipe_names][-1]
    for name in reversed(names):
        nlp.add_pipe(name, source=source, after=last)
    after_creation = source.config["nlp"]["after_creation"]
    if after_creation and not nlp.config["nlp"]["after_creation"]:
        nlp.config["nlp"]["after_creation"] = after_creation
    nlp.to_disk(pipeline)
    return names


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print("Added:", ", ".join(add_syntax(*map(Path, sys.argv[1:]))) or "nothing")
