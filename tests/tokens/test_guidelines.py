"""`Doc._.ucca_guidelines` from the corpus to the parse: one model of two guidelines that disagree."""

import spacy
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import fix_random_seed
from spacy.vocab import Vocab
from typer.testing import CliRunner
from util import make_doc, make_examples, same_graphs, tiny_config

from spacy_ucca.cli import app
from spacy_ucca.formats.xml import write_xml
from spacy_ucca.graph import Graph
from spacy_ucca.training.convert import convert_corpus
from spacy_ucca.training.corpus import create_ucca_corpus, graph_to_doc, write_docbin

OTHER = {"A": "D", "D": "A", "P": "S", "S": "P"}


def swapped(graph: Graph) -> Graph:
    """The graph under guidelines that call some categories otherwise."""
    edges = [
        e._replace(categories=tuple(OTHER.get(c, c) for c in e.categories))
        for e in graph.edge_tuples
    ]
    return Graph(graph.words, graph.kinds, edges, punct=graph.punct)


def named(vocab: Vocab, graph: Graph, name: str, gold: bool) -> Doc:
    doc = make_doc(vocab, graph, gold=gold)
    doc._.ucca_guidelines = name
    return doc


def test_the_same_words_are_parsed_by_the_guidelines_that_are_named(sample, tmp_path):
    graphs = {"v1": sample[:4], "v2": [swapped(graph) for graph in sample[:4]]}
    assert not any(same_graphs(*graphs.values()))
    fix_random_seed(0)
    nlp = spacy.blank("en")
    config = tiny_config()
    embed = {"attrs": ["LOWER", "TAG", "GUIDELINES"], "rows": [300, 50, 10], "widths": [16, 8, 8]}
    config["model"]["tok2vec"]["embed"].update({**embed, "guidelines_dropout": 0.0})
    nlp.add_pipe("ucca_parser", config={**config, "guidelines": "v2"})

    def examples() -> list[Example]:
        return [
            Example(named(nlp.vocab, g, name, False), named(nlp.vocab, g, name, True))
            for name in graphs
            for g in graphs[name]
        ]

    optimizer = nlp.initialize(examples)
    optimizer.learn_rate = 0.01
    for _ in range(60):
        nlp.update(examples(), sgd=optimizer)

    def parse(pipeline, name):
        docs = [named(pipeline.vocab, g, name, False) for g in graphs["v1"]]
        return [doc._.ucca for doc in pipeline.pipe(docs)]

    for name, gold in graphs.items():
        assert all(same_graphs(parse(nlp, name), gold))
    assert all(same_graphs(parse(nlp, ""), graphs["v2"]))  # the component's own
    nlp.to_disk(tmp_path)
    assert all(same_graphs(parse(spacy.load(tmp_path), ""), graphs["v2"]))
    other = spacy.load(tmp_path, config={"components": {"ucca_parser": {"guidelines": "v1"}}})
    assert all(same_graphs(parse(other, ""), graphs["v1"]))


def test_they_travel_with_the_doc(sample, tmp_path):
    doc = graph_to_doc(Graph.join(sample[:3]), Vocab())
    assert doc._.ucca_guidelines == "" and not Doc(Vocab(), words=["a"])._.ucca_guidelines
    doc._.ucca_guidelines = "v1"
    again = [Doc(Vocab()).from_bytes(doc.to_bytes()), doc.copy()]
    again += DocBin(docs=[doc], store_user_data=True).get_docs(Vocab())
    assert [d._.ucca_guidelines for d in again] == ["v1"] * 3
    write_docbin([doc], tmp_path / "a.spacy")
    for max_length in (0, len(doc) - 1):
        examples = list(create_ucca_corpus(tmp_path, max_length=max_length)(spacy.blank("en")))
        assert examples and {eg.predicted._.ucca_guidelines for eg in examples} == {"v1"}
    doc._.ucca_guidelines = ""
    assert "ucca_guidelines" not in doc.user_data


def test_converted_with_their_name(sample, tmp_path):
    write_xml(sample[0], tmp_path / "1.xml")
    convert_corpus(tmp_path / "1.xml", tmp_path / "a.spacy", guidelines="v2")
    docs = list(DocBin().from_disk(tmp_path / "a.spacy").get_docs(Vocab()))
    assert docs and all(doc._.ucca_guidelines == "v2" for doc in docs)


def test_parse_takes_their_name(tmp_path, sample):
    nlp = spacy.blank("en")
    config = tiny_config()
    config["model"]["tok2vec"]["embed"].update(attrs=["LOWER", "GUIDELINES"])
    config["model"]["tok2vec"]["embed"].update(rows=[300, 10], widths=[16, 8])
    nlp.add_pipe("ucca_parser", config=config)
    nlp.initialize(lambda: make_examples(nlp.vocab, sample[:4]))
    nlp.to_disk(tmp_path / "model")
    text = tmp_path / "a.txt"
    text.write_text("They came and she left, because it was late and all were tired.")
    seen = set()
    for name in ("", "v1", "v2", "v3"):
        args = ["parse", str(text), "--model", str(tmp_path / "model"), "--guidelines", name]
        result = CliRunner().invoke(app, [*args, "--to", "jsonl"])
        assert result.exit_code == 0, result.output
        seen.add(result.output)
    assert len(seen) > 1  # an untrained model, but each name is another vector
