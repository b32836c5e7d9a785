"""Write the README.md of pipelines as model cards of the Hugging Face Hub, from their meta.json.

    python scripts/write_cards.py models/*

The YAML at the head has language, licence, tags and scores; how to use the pipeline follows, then the tables of `spacy package`.
"""

import sys
from pathlib import Path
from typing import Any

import srsly
from spacy.cli.package import generate_readme

# Corpora by the name of their scores; "ucca" is the one that the pipeline is named after.
SETS = {
    "ewt": "UCCA English EWT 2.0, development set",
    "wiki": "UCCA English Wikipedia 1.2, development set",
    "20k": "UCCA English 20K 2.0, development set, not in training",
    "de": "UCCA German 20K 2.0, development set",
    "fr": "UCCA French 20K 2.0, development set",
    "lpp": "UCCA German Little Prince, not in training",
}
UCCA_SCORES = {
    "ucca_f": "Labeled F1",
    "ucca_primary_f": "Labeled F1 of primary edges",
    "ucca_remote_f": "Labeled F1 of remote edges",
}
TOKEN_SCORES = {
    "tag_acc": ("TAG", "accuracy", "Tags"),
    "pos_acc": ("POS", "accuracy", "Universal parts of speech"),
    "morph_acc": ("MORPH", "accuracy", "Features"),
    "lemma_acc": ("LEMMA", "accuracy", "Lemmas"),
    "dep_uas": ("UNLABELED_DEPENDENCIES", "f_score", "Unlabeled attachment"),
    "dep_las": ("LABELED_DEPENDENCIES", "f_score", "Labeled attachment"),
    "sents_f": ("SENTS", "f_score", "Sentences"),
}
LICENSES = {"CC BY-SA 4.0": "cc-by-sa-4.0", "CC BY-SA 3.0": "cc-by-sa-3.0", "MIT": "mit"}
# What a pipeline of any language has learned graphs from
LANGUAGES = {"xx": ["multilingual", "en", "de", "fr"]}
USE = """
# {name}

{description}

Install it with the package that it runs on, `spacy-ucca`: `spacy-ucca download {name}`, or `pip install ./models/{name}` in a
checkout.

```python
{load}

doc = nlp("{text}")
print(doc._.ucca)
```
"""
TEXTS = {
    "de": "Nach dem Abschluss zog Johann nach Paris.",
    "fr": "Après ses études, Jean a déménagé à Paris.",
}
TEXT = "After graduation, John moved to Paris."


def results(meta: dict[str, Any]) -> list[dict[str, Any]]:
    """RETURNS (List[Dict[str, Any]]): The scores of a meta.json as results of the Hub: of graphs for each corpus, of tokens on the
    treebanks."""
    scores = meta["performance"]
    found = []
    for key, corpus in {**SETS, "ucca": SETS.get(meta["lang"], "")}.items():
        metrics = [
            {"name": name, "type": "f1", "value": round(scores[f"{key}_{score}"], 4)}
            for score, name in UCCA_SCORES.items()
            if f"{key}_{score}" in scores
        ]
        if metrics:
            found.append(_result("UCCA parsing", "graph-parsing", corpus, "ucca", metrics))
    treebanks = "Universal Dependencies 2.16, development sets"
    for score, (task, kind, name) in TOKEN_SCORES.items():
        if score in scores:
            metrics = [{"name": name, "type": kind, "value": round(scores[score], 4)}]
            found.append(
                _result(task, "token-classification", treebanks, "universal_dependencies", metrics)
            )
    return found


def _result(
    task: str, task_type: str, corpus: str, kind: str, metrics: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "task": {"name": task, "type": task_type},
        "dataset": {"name": corpus, "type": kind},
        "metrics": metrics,
    }


def make_card(meta: dict[str, Any]) -> str:
    """RETURNS (str): The card of a pipeline, from what its meta.json says."""
    name = f"{meta['lang']}_{meta['name']}"
    languages = LANGUAGES.get(meta["lang"], [meta["lang"]])
    head = {
        "language": languages,
        "license": LICENSES[meta["license"]],
        "library_name": "spacy",
        "tags": ["spacy", "spacy-ucca", "ucca", "semantic-parsing", "token-classification"],
        "datasets": ["universal_dependencies"],
        "metrics": ["f1", "accuracy"],
        "model-index": [{"name": name, "results": results(meta)}],
    }
    load = f'import spacy\n\nnlp = spacy.load("{name}")'
    if meta["lang"] == "xx":
        load = f'import spacy_ucca\n\nnlp = spacy_ucca.load("{name}", lang="en")'
    text = TEXTS.get(meta["lang"], TEXT)
    use = USE.format(name=name, description=meta["description"], load=load, text=text)
    tables = (
        generate_readme(meta)
        .partition("\n\n")[2]
        .replace("[The spacy-ucca developers]()", "The spacy-ucca developers")
    )
    return f"---\n{srsly.yaml_dumps(head)}---\n{use}\n{tables.strip()}\n"


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for path in map(Path, sys.argv[1:]):
        (path / "README.md").write_text(make_card(srsly.read_json(path / "meta.json")), "utf8")
