"""`Doc._.ucca_guidelines` from the corpus to the parse: one model of two guidelines that disagree."""

import json
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import fix_random_seed
from spacy.vocab import Vocab
from typer.testing import CliRunner
from util import make_doc, same_graphs, tiny_config

from spacy_ucca.cli import app
from spacy_ucca.formats.brackets import read_brackets, write_brackets
from spacy_ucca.formats.mrp import read_mrp, write_mrp
from spacy_ucca.formats.penman import read_penman, write_penman
from spacy_ucca.formats.xml import read_xml_string, write_xml, write_xml_string
from spacy_ucca.graph import Graph
from spacy_ucca.parser.graph_parser import GraphParser
from spacy_ucca.parser.settings import DEFAULT_GUIDELINES
from spacy_ucca.rules.repair import repair
from spacy_ucca.text.split import merge_roots
from spacy_ucca.training.convert import convert_corpus
from spacy_ucca.training.corpus import UccaCorpus, graph_to_doc, write_docbin

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
    config["model"]["tok2vec"]["embed"].update(embed)
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
        examples = list(UccaCorpus(tmp_path, max_length=max_length)(spacy.blank("en")))
        assert examples and {eg.predicted._.ucca_guidelines for eg in examples} == {"v1"}
    doc._.ucca_guidelines = ""
    assert not any("guidelines" in key[1] for key in doc.user_data)


def test_converted_with_their_name(sample, tmp_path):
    """The name that is given, or that of the file, or the default."""
    named_graph = sample[0].replace(details={**sample[0].details, "guidelines": "mine"})
    for graph, given, name in (
        (sample[0], "v1", "v1"),
        (sample[0], "", DEFAULT_GUIDELINES),
        (named_graph, "", "mine"),
        (named_graph, "v1", "v1"),
    ):
        write_xml(graph, tmp_path / "1.xml")
        convert_corpus(tmp_path / "1.xml", tmp_path / "a.spacy", guidelines=given)
        (doc,) = DocBin().from_disk(tmp_path / "a.spacy").get_docs(Vocab())
        assert doc._.ucca_guidelines == name
        assert doc._.ucca.guidelines == (given or graph.guidelines)


LABELS = {
    "v1": ["A", "C", "E", "F", "H", "L", "P"],
    "v2": ["A", "C", "D", "F", "H", "P", "S|A", "T", "U"],
}


def parser_of(
    sample, factory="ucca_parser", names=("v1", "v2"), **config
) -> tuple[spacy.Language, GraphParser]:
    """An untrained pipeline whose examples, by turns, follow each of some guidelines."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    base = tiny_config() if factory == "ucca_parser" else {}
    nlp.add_pipe(factory, config={**base, **config})
    examples = []
    for name in names:
        for graph in sample[:6]:
            examples.append(
                Example(*(named(nlp.vocab, graph, name, gold) for gold in (False, True)))
            )
    nlp.initialize(lambda: examples)
    parser = nlp.get_pipe(factory)
    return nlp, parser


@pytest.mark.parametrize("factory", ["ucca_parser", "ucca_span_parser"])
def test_readers_that_copy_the_tokens_alone(sample, factory):
    """As spaCy's corpus reader does: the guidelines of the reference are learned all the same."""
    nlp = spacy.blank("en")
    nlp.add_pipe(factory)
    examples = [
        Example(make_doc(nlp.vocab, graph, gold=False), named(nlp.vocab, graph, "v1", True))
        for graph in sample[:3]
    ]
    nlp.initialize(lambda: examples)
    assert nlp.get_pipe(factory).known_guidelines == ("v1",)
    fresh = [
        Example(make_doc(nlp.vocab, eg.reference._.ucca, gold=False), eg.reference)
        for eg in examples
    ]
    assert nlp.update(fresh)[factory] > 0
    fresh[0].reference._.ucca_guidelines = "v9"
    with pytest.raises(ValueError, match=r"UC330.*'v9'"):
        nlp.update(fresh)


@pytest.mark.parametrize("system", ["tree", "tupa"])
@pytest.mark.parametrize("beam_width", [1, 3])
def test_labels_of_other_guidelines_are_not_predicted(sample, system, beam_width):
    config = tiny_config(system=system)
    settings = {"remote_threshold": 0.001, "implicit_threshold": 0.001}
    nlp, parser = parser_of(sample, **config, **settings, beam_width=beam_width, repair=False)
    known = set(parser.labels)
    seen = {}
    for name, labels in LABELS.items():
        parser.cfg["guidelines"][name] = sorted(known.intersection(labels))
        parser._clear_caches()
        allowed = parser.cfg["guidelines"][name]
        assert set(allowed) < known
        docs = list(nlp.pipe(named(nlp.vocab, g, name, False) for g in sample[:12]))
        seen[name] = {edge.label for doc in docs for edge in doc._.ucca.edges}
        assert seen[name] <= {*allowed, "U"} and all(d._.ucca.guidelines == name for d in docs)
    mixed = [named(nlp.vocab, g, name, False) for g in sample[:5] for name in LABELS]
    for doc in nlp.pipe(mixed):
        own = {edge.label for edge in doc._.ucca.edges}
        assert own <= {*parser.cfg["guidelines"][doc._.ucca_guidelines], "U"}


def test_span_labels_of_other_guidelines_are_not_predicted(sample):
    nlp, parser = parser_of(sample, "ucca_span_parser", threshold=0.01)
    assert parser.known_guidelines == ("v1", "v2")
    known = set(parser.span_labels.labels)
    for name, labels in LABELS.items():
        parser.cfg["guidelines"][name] = sorted(known.intersection(labels))
        parser._clear_caches()
        for with_repair in (True, False):
            parser.repair = with_repair
            docs = list(nlp.pipe(named(nlp.vocab, g, name, False) for g in sample[:10]))
            seen = {edge.label for doc in docs for edge in doc._.ucca.edges}
            assert seen <= {*labels, "U"}, (name, with_repair)


def test_labels_are_collected_for_each_name(sample):
    for factory in ("ucca_parser", "ucca_span_parser"):
        nlp, parser = parser_of(sample, factory, names=("v1", "v2", "mine"))
        gold = {edge.label for graph in sample[:6] for edge in graph.edges}
        assert parser.known_guidelines == ("mine", "v1", "v2")
        assert all(set(own) == gold for own in parser.cfg["guidelines"].values())
        again = spacy.blank("en").from_config(nlp.config).from_bytes(nlp.to_bytes())
        assert again.get_pipe(factory).known_guidelines == parser.known_guidelines


def test_unknown_names_are_refused(sample, tmp_path):
    nlp, parser = parser_of(sample)
    assert parser.guidelines == DEFAULT_GUIDELINES
    for name in ("v3", "", "V2", "v2 "):
        with pytest.raises(ValueError, match=r"UC330.*v1, v2"):
            parser.guidelines = name
    doc = named(nlp.vocab, sample[0], "v3", False)
    with pytest.raises(ValueError, match=r"UC330.*'v3'"):
        nlp(doc)
    example = Example(
        named(nlp.vocab, sample[0], "v3", False), named(nlp.vocab, sample[0], "v3", True)
    )
    with pytest.raises(ValueError, match=r"UC330.*'v3'"):
        nlp.update([example])
    nlp.to_disk(tmp_path)
    with pytest.raises(ValueError, match=r"UC330.*'v3'"):
        spacy.load(tmp_path, config={"components": {"ucca_parser": {"guidelines": "v3"}}})
    parser.add_guidelines("v3", ["A", "C", "H", "P", "X|Y"])
    parser.guidelines = "v3"
    nlp.update([example])
    assert {e.label for e in nlp(doc)._.ucca.edges} <= {"A", "C", "H", "P", "X|Y", "U"}
    assert "X|Y" not in parser.cfg["guidelines"]["v2"] and "X|Y" in parser.labels


def test_a_corpus_with_one_name_needs_no_setting(sample, tmp_path):
    nlp, parser = parser_of(sample, names=("mine",))
    assert parser.guidelines == "mine" and nlp("They left.")._.ucca.guidelines == "mine"
    nlp.to_disk(tmp_path)
    assert spacy.load(tmp_path).get_pipe("ucca_parser").guidelines == "mine"
    with pytest.raises(ValueError, match=r"UC330.*'v2'"):
        parser.guidelines = "v2"
    with pytest.raises(ValueError, match=r"UC330.*'v2'"):
        parser_of(sample, names=("mine", "yours"))


def test_pipelines_of_0_1_take_every_name(sample):
    nlp, parser = parser_of(sample)
    del parser.cfg["guidelines"]
    parser._clear_caches()
    assert parser.known_guidelines == ()
    for name in ("", "v1", "other"):
        parser.guidelines = name
        assert nlp("They left.")._.ucca.guidelines == name


def test_graphs_keep_the_name():
    graph = Graph.from_record({**make_graph_record(), "details": {"guidelines": "v1"}})
    assert graph.guidelines == "v1"
    assert all(part.guidelines == "v1" for _, part in Graph.join([graph, graph]).sentences())
    assert Graph.join([graph, graph]).guidelines == "v1"
    other = graph.replace(details={"guidelines": "v2"})
    assert Graph.join([graph, other]).guidelines == "" == Graph.join([]).guidelines
    formats = (
        (read_xml_string, write_xml_string),
        (lambda text: read_mrp(text)[0], write_mrp),
        (lambda text: read_penman(text)[0], write_penman),
        (lambda text: read_brackets(text)[0], write_brackets),
    )
    for read, write in formats:
        for value in (graph, graph.replace(details={"id": "1"})):
            assert read(write(value)).guidelines == value.guidelines
            assert read(write(read(write(value)))) == read(write(value))
    for changed in (repair(graph), merge_roots(Graph.join([graph])), graph.without(remotes=True)):
        assert changed.guidelines == "v1"


def make_graph_record() -> dict:
    words = ["They", "left"]
    edges = [[0, 1, 0, "A"], [0, 2, 0, "P"], [1, -1, 0, "Terminal"], [2, -2, 0, "Terminal"]]
    return {
        **{"version": 1, "words": words, "punct": [0, 0], "paragraphs": [1, 1]},
        **{"units": ["FN"] * 3, "edges": edges},
    }


def test_command_line(tmp_path, sample):
    nlp, _ = parser_of(sample)
    nlp.to_disk(tmp_path / "model")
    text = tmp_path / "a.txt"
    text.write_text("They came and she left.")
    xml = tmp_path / "b.xml"
    write_xml(sample[0].replace(details={"id": "b", "guidelines": "v1"}), xml)

    def guidelines_of(source: Path, *args: str) -> str:
        model = ["--model", str(tmp_path / "model"), "--to", "jsonl"]
        result = CliRunner().invoke(app, ["parse", str(source), *model, *args])
        assert result.exit_code == 0, result.output
        return Graph.from_record(json.loads(result.stdout)).guidelines

    assert guidelines_of(text) == "v2" == guidelines_of(xml, "--guidelines", "v2")
    assert guidelines_of(text, "--guidelines", "v1") == "v1" == guidelines_of(xml)
    write_docbin([graph_to_doc(sample[0], Vocab())], tmp_path / "a.spacy")
    for command in ("parse", "label", "serve", "evaluate"):
        files = {
            "parse": [text],
            "label": [tmp_path / "a.spacy", tmp_path / "o.spacy"],
            "serve": [],
        }
        args = [str(file) for file in files.get(command, [tmp_path / "a.spacy"])]
        model = [str(tmp_path / "model")]
        args = [*model, *args] if command in ("serve", "evaluate") else [*args, "--model", *model]
        result = CliRunner().invoke(app, [command, *args, "--guidelines", "nonsense"])
        assert result.exit_code == 2 and "UC330" in result.output and "v1, v2" in result.output
