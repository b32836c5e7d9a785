"""Bilexical graphs of the shared corpora: enhanced dependencies through files, training on real sentences, UCCA through trees."""

import numpy
import pytest
import spacy
from spacy.training import Example
from spacy.util import minibatch

from spacy_ucca.conversion.bilexical import to_bilexical
from spacy_ucca.conversion.graph import ROOT
from spacy_ucca.formats.conllu import read_ud_sentences
from spacy_ucca.formats.files import find_files
from spacy_ucca.formats.sdp import format_sdp, iter_sdp
from spacy_ucca.formats.xml import read_xml
from spacy_ucca.sdp_parser.batch import NO_EDGE, edge_label, find_pairs, read_batch, read_gold
from spacy_ucca.sdp_parser.decoding import best_tree_labels
from spacy_ucca.sdp_parser.enhanced import iter_enhanced
from spacy_ucca.text.split import split_sentences
from spacy_ucca.training.corpus import bare_copy
from spacy_ucca.training.sdp_corpus import BilexicalReport, iter_bilexical_docs


@pytest.mark.slow
def test_treebanks(corpora):
    path = corpora / "UD_English-EWT" / "en_ewt-ud-dev.conllu"
    with path.open(encoding="utf8") as lines:
        found = list(iter_enhanced(lines, cut=False))
    for sentence, expected in zip(found, read_ud_sentences(path), strict=True):
        graph = sentence.graph
        assert (graph.id, graph.words) == (expected.sent_id, expected.words)
        assert sentence.spaces == expected.spaces
        # All but what a file of columns has no place for comes back: one arc between two tokens.
        for year in (2014, 2015):
            (again,) = iter_sdp(format_sdp(graph, year=year).split("\n"))
            assert again.words == graph.words and again.tops == graph.tops
            pairs = [
                {(a.head, a.dependent) for a in g.arcs if a.head != ROOT} for g in (again, graph)
            ]
            assert pairs[0] == pairs[1]


@pytest.mark.slow
def test_more_sentences_are_learned_by_heart(corpora):
    nlp = spacy.blank("en")
    path = corpora / "UD_English-EWT" / "en_ewt-ud-dev.conllu"
    docs = list(iter_bilexical_docs(path, BilexicalReport(), vocab=nlp.vocab, limit=150))
    model = {"@architectures": "spacy-ucca.LogitEdge.v1", "hash_bits": 16}
    nlp.add_pipe("sdp_parser", config={"model": model})
    examples = [Example(bare_copy(doc, True), doc) for doc in docs]
    optimizer = nlp.initialize(lambda: examples)
    scores = []
    for _ in range(4):
        for batch in minibatch(examples, 16):
            nlp.update(batch, sgd=optimizer)
        scores.append(nlp.evaluate(examples)["sdp_lf"])
    assert scores[0] < scores[-1] > 0.9


@pytest.mark.slow
def test_gold_scores_decode_to_gold_trees(corpora):
    """If a model were right, decoding to trees would give UCCA's own arcs."""
    vocab = spacy.blank("en").vocab
    n_arcs = 0
    for path in find_files([corpora / "UCCA_English-EWT"], "xml")[:60]:
        for part in split_sentences(read_xml(path)):
            if not part.words:
                continue
            doc = spacy.tokens.Doc(vocab, words=list(part.words))
            doc._.sdp = to_bilexical(part)
            arcs = [arc for arc in doc._.sdp.arcs if arc.head != ROOT]
            labels = sorted({edge_label(arc) for arc in arcs})
            batch = read_batch([doc])
            gold = read_gold([Example(doc, doc)], batch, labels)
            pairs = find_pairs(batch.tokens, gold.used, 0)
            classes = gold.classes(pairs)
            scores = numpy.zeros((len(pairs), 1 + len(labels)))
            scores[numpy.arange(len(pairs)), classes] = 9.0
            remote = numpy.array([label.endswith("*") for label in ("", *labels)])
            odds = numpy.where(gold.top, 9.0, -9.0)
            found, tops = best_tree_labels(scores, pairs, classes, remote, odds, gold.used)
            assert (found == classes).all() and (classes == NO_EDGE).any() >= (len(pairs) > 2)
            assert sorted(tops.tolist()) == numpy.flatnonzero(gold.top).tolist()
            n_arcs += int((found != NO_EDGE).sum())
    assert n_arcs > 3000
