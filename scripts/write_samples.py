"""Write samples of what this version stores, for the versions to come: `tests/test_saved.py` reads those of all versions.

    python scripts/write_samples.py

The directory is `tests/data/saved/X.Y`, of the version. Samples of a release are never written again. The text is our own.
"""

import sys
from pathlib import Path

import pyarrow.parquet
import spacy
import srsly
from spacy.tokens import DocBin
from spacy.training import Example

import spacy_ucca
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.records import write_jsonl
from spacy_ucca.training.corpus import bare_copy, graph_to_doc

SAVED = Path(__file__).resolve().parent.parent / "tests" / "data" / "saved"
TEXTS = (
    "[L After] [H [P graduation] [A* =j]] [U ,] [H [A#j Ann] [P moved] [A [R to] [C Málaga]]] [U .]",
    "[H [A She] [D never] [P wrote] [A IMPLICIT]] [U 🙂]",
)
# Weights of few kilobytes
MODEL = {
    "@architectures": "spacy-ucca.UccaModel.v1",
    "system": "tree",
    "hidden_width": 24,
    "pair_width": 12,
    "unit_width": 12,
    "tok2vec": {
        "@architectures": "spacy.HashEmbedCNN.v2",
        "pretrained_vectors": None,
        "width": 16,
        "depth": 1,
        "embed_size": 60,
        "window_size": 1,
        "maxout_pieces": 2,
        "subword_features": False,
    },
}


def make_graphs() -> list[spacy_ucca.Graph]:
    """RETURNS (List[Graph]): The graphs: with a remote edge, an implicit unit and scores."""
    graphs = [read_brackets(text)[0] for text in TEXTS]
    return [graph.replace(scores={i: 0.25 * i for i in range(4)}) for graph in graphs]


def write_samples(folder: Path) -> None:
    """Write one sample of each kind.

    folder (Path): The directory, which is made.
    """
    folder.mkdir(parents=True)
    graphs = make_graphs()
    srsly.write_json(folder / "records.json", [graph.to_record() for graph in graphs])
    srsly.write_json(folder / "graphs.json", [graph.to_json() for graph in graphs])
    (folder / "graphs.jsonl").write_text("".join(map(write_jsonl, graphs)), "utf8")
    tables = [graph.to_arrow() for graph in graphs]
    pyarrow.parquet.write_table(pyarrow.concat_tables(tables), folder / "graphs.parquet")
    nlp = spacy.blank("xx")
    docs = [graph_to_doc(graph, nlp.vocab) for graph in graphs]
    DocBin(docs=docs, store_user_data=True).to_disk(folder / "docs.spacy")
    nlp.add_pipe("ucca_parser", config={"model": MODEL, "exploration": 0.0})
    examples = [Example(bare_copy(doc, False), doc) for doc in docs]
    spacy.util.fix_random_seed(0)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    for _ in range(200):
        nlp.update(examples, sgd=optimizer)
    nlp.to_disk(folder / "pipeline", exclude=["vocab"])


if __name__ == "__main__":
    place = SAVED / spacy_ucca.__version__.rpartition(".")[0]
    if place.exists():
        sys.exit(f"{place} is there. If this version was not released yet, delete it first.")
    write_samples(place)
