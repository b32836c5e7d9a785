"""Write the meta.json that a pipeline is packaged with: who made it of what, and its scores.

    python scripts/write_scores.py PIPELINE META.json METRICS OUTPUT.json SYNTAX [SYNTAX ...]

Training ucca_parser scores tags and dependencies against predicted ones, which says nothing: tagger and parser
keep the scores of their own training. Those of ucca_parser follow for each development set. The versions of spaCy are
those that this package runs on.
"""

import sys
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import srsly
from packaging.requirements import Requirement

SYNTAX_SCORES = ("tag_acc", "dep_uas", "dep_las", "sents_f", "pos_acc", "morph_acc", "lemma_acc")
UCCA_SCORES = ("ucca_f", "ucca_primary_f", "ucca_remote_f", "ucca_implicit_f")


def write_scores(pipeline: Path, meta: Path, metrics: Path, output: Path, *syntax: Path) -> None:
    """Write the scores.

    pipeline (Path): The trained pipeline.
    meta (Path): Description, licence and sources. If the file is missing, this is said, and the package has none.
    metrics (Path): Directory of what `spacy-ucca evaluate --json` wrote, a file for each set. Of files that `--raw` wrote,
        the scores from raw text are taken. If there are none, this is said.
    output (Path): The meta.json for `spacy package --meta-path`.
    *syntax (Path): The pipelines with its other components, and the scores of their training. The last has the sentences.
    """
    found = read_object(pipeline / "meta.json")
    own = found.get("performance", {})
    theirs: dict[str, float] = {}
    for path in syntax:
        theirs |= read_object(path / "meta.json").get("performance", {})
    if "tagger" not in found.get("pipeline", ["tagger"]):
        theirs.pop("tag_acc", None)
    scores = {k: theirs[k] for k in SYNTAX_SCORES if theirs.get(k) is not None}
    scores |= {k: v for k, v in own.items() if k.startswith("ucca_") and "loss" not in k}
    if not (files := sorted(metrics.glob("*.json"))):
        message = "the package has none of sets. Run scripts/evaluate_sets.py, and package again"
        print(f"Warning: {metrics} has no scores: {message}.", file=sys.stderr)
    for path in files:
        found = read_object(path)
        found = found.get("raw", found)
        if not {*UCCA_SCORES} <= found.keys():
            message = "not the scores of UCCA graphs that `spacy-ucca evaluate --json` writes"
            raise SystemExit(f"{path} has {message}. Remove it, or evaluate again.")
        # A set with no implicit unit, say, has no score of these.
        known = [key for key in UCCA_SCORES if found[key] is not None]
        scores |= {f"{path.stem}_{key}": round(found[key], 4) for key in known}
    output.parent.mkdir(parents=True, exist_ok=True)
    about = {}
    if meta.exists():
        about = read_object(meta)
    else:
        message = "the package has no description, licence and sources. Write it, and package again"
        print(f"Warning: {meta} is missing: {message}.", file=sys.stderr)
    found = {**about, "performance": scores, "spacy_version": spacy_range()}
    srsly.write_json(output, found)


def read_object(path: Path) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): The object in a JSON file.
    RAISES (SystemExit): If it is missing or broken."""
    try:
        return {**srsly.read_json(path)}
    except (OSError, ValueError, TypeError) as err:
        raise SystemExit(f"{path} is missing or broken ({err}). Make it again.") from None


def spacy_range() -> str:
    """RETURNS (str): The versions of spaCy that this package runs on, and was tested with, such as ">=3.8.7,<3.9"."""
    requirements = map(Requirement, requires("spacy-ucca") or ())
    (spacy,) = (r for r in requirements if r.name == "spacy" and r.marker is None)
    return ",".join(sorted(map(str, spacy.specifier), reverse=True))


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    write_scores(*map(Path, sys.argv[1:]))
