"""`sdp_parser`: spaCy's life cycle, each model and loss learning a few sentences by heart, and input of every kind."""

import pickle
import warnings

import numpy
import pytest
import spacy
from damage import check_damage_is_refused, check_scores_are_finite, check_weights_are_finite
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_ucca.conversion.graph import ROOT, TOP, Arc, BilexicalGraph, Token
from spacy_ucca.errors import UccaError
from spacy_ucca.sdp_parser.batch import read_batch, read_gold
from spacy_ucca.sdp_parser.extension import get_arcs, graph_to_sdp_doc
from spacy_ucca.training.corpus import bare_copy

# Words, tags, heads, labels of the syntactic tree, and the arcs of DM-like graphs
SENTENCES = [
    (
        "Ann wants to sleep .",
        "NNP VBZ TO VB .",
        [1, 1, 3, 1, 1],
        [(ROOT, 1, TOP), (1, 0, "ARG1"), (1, 3, "ARG2"), (3, 0, "ARG1")],
    ),
    (
        "The old cat slept .",
        "DT JJ NN VBD .",
        [2, 2, 3, 3, 3],
        [(ROOT, 3, TOP), (0, 2, "BV"), (1, 2, "ARG1"), (3, 2, "ARG1")],
    ),
    ("Sleep !", "VB .", [0, 0], [(ROOT, 0, TOP)]),
    (
        "Bob sees Ann and Eve",
        "NNP VBZ NNP CC NNP",
        [1, 1, 1, 4, 2],
        [
            (ROOT, 1, TOP),
            (1, 0, "ARG1"),
            (1, 2, "ARG2", True),
            (2, 4, "_and_c"),
            (1, 4, "ARG2", True),
        ],
    ),
]
MODELS = {
    "LogitEdge": {"@architectures": "spacy-ucca.LogitEdge.v1", "hash_bits": 12, "learn_rate": 0.3},
    "BiaffineEdges": {
        "@architectures": "spacy-ucca.BiaffineEdges.v1",
        "edge_width": 16,
        "label_width": 8,
        "dropout": 0.0,
        "tok2vec": {
            "@architectures": "spacy.Tok2Vec.v2",
            "embed": {
                "@architectures": "spacy.MultiHashEmbed.v2",
                "width": 32,
                "attrs": ["ORTH", "TAG"],
                "rows": [200, 100],
                "include_static_vectors": False,
            },
            "encode": {
                "@architectures": "spacy.MaxoutWindowEncoder.v2",
                "width": 32,
                "window_size": 1,
                "maxout_pieces": 2,
                "depth": 2,
            },
        },
    },
}
STEPS = {"LogitEdge": 30, "BiaffineEdges": 150}
WARNINGS = "ignore:.*UW301"


def references(vocab):
    for text, tags, heads, arcs in SENTENCES:
        words = text.split()
        doc = Doc(
            vocab,
            words=words,
            tags=tags.split(),
            heads=heads,
            deps=["ROOT" if h == i else f"d{h > i}" for i, h in enumerate(heads)],
        )
        doc._.sdp = BilexicalGraph(
            tuple(map(Token, words)), tuple(Arc(*arc) for arc in arcs), id=words[0]
        )
        yield doc


def make_examples(vocab):
    return [Example(bare_copy(doc, True), doc) for doc in references(vocab)]


def make_parser(model="LogitEdge", **config):
    nlp = spacy.blank("en")
    nlp.add_pipe("sdp_parser", config={"model": MODELS[model], **config})
    return nlp


def train(nlp, steps=None):
    examples = make_examples(nlp.vocab)
    fix_random_seed(0)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    name = "".join(word.title() for word in nlp.get_pipe("sdp_parser").model.name.split("_"))
    for _ in range(STEPS[name] if steps is None else steps):
        losses = nlp.update(examples, sgd=optimizer)
    return losses


@pytest.fixture(scope="module")
def nlp():
    nlp = make_parser()
    train(nlp)
    return nlp


def parse(nlp, doc):
    return set(get_arcs(nlp(bare_copy(doc, True))))


def gold(doc):
    return set(doc._.sdp.arcs)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("loss", ["likelihood", "margin"])
def test_learns_by_heart(model, loss):
    nlp = make_parser(model, loss=loss)
    first = train(nlp, 1)["sdp_parser"]
    assert train(nlp)["sdp_parser"] < first / 4
    for doc in references(nlp.vocab):
        assert parse(nlp, doc) == gold(doc)
    scores = nlp.evaluate(make_examples(nlp.vocab))
    assert scores["sdp_lf"] == scores["sdp_lm"] == scores["sdp_notop_lf"] == 1


def test_default_config_is_whole():
    pipe = spacy.blank("en").add_pipe("sdp_parser")
    assert len(pipe.model.attrs["features"]) == 7 and pipe.max_distance == 10


@pytest.mark.parametrize("model", MODELS)
def test_determinism(model):
    nlp = make_parser(model, deterministic=True)
    train(nlp)
    bob = list(references(nlp.vocab))[3]
    found = parse(nlp, bob)
    labels = [(arc.head, arc.label, arc.remote) for arc in found if arc.head != ROOT]
    assert len(set(labels)) == len(labels)
    assert len(gold(bob) - found) == 1


@pytest.mark.parametrize("model", MODELS)
def test_to_disk_and_bytes(model, tmp_path):
    nlp = make_parser(model)
    train(nlp)
    nlp.to_disk(tmp_path / "model")
    loaded = [
        spacy.load(tmp_path / "model"),
        make_parser(model).from_bytes(nlp.to_bytes()),
        pickle.loads(pickle.dumps(nlp)),
    ]
    for other in loaded:
        assert other.get_pipe("sdp_parser").labels == nlp.get_pipe("sdp_parser").labels
        for doc in references(other.vocab):
            assert parse(other, doc) == gold(doc)
        train(other, 1)


def test_damaged_files(tmp_path):
    nlp = make_parser("BiaffineEdges")
    train(nlp, 2)
    check_damage_is_refused(nlp, "sdp_parser", tmp_path / "settings")
    check_scores_are_finite(nlp, "sdp_parser")
    check_weights_are_finite(nlp, "sdp_parser", tmp_path / "weights")


@pytest.mark.parametrize("model", MODELS)
def test_gradients_are_kept_until_the_end_of_an_update(model):
    halves, whole = make_parser(model), make_parser(model)
    for nlp in (halves, whole):
        nlp.initialize(lambda nlp=nlp: make_examples(nlp.vocab))
    pipe = halves.get_pipe("sdp_parser")
    before = halves.to_bytes()
    examples = make_examples(halves.vocab)
    for part in (examples[:2], examples[2:]):
        pipe.update(part)
    assert halves.to_bytes() == before
    pipe.finish_update(halves.create_optimizer())
    assert halves.to_bytes() != before


def test_n_process(nlp):
    docs = [bare_copy(doc, True) for doc in references(nlp.vocab)] * 2
    found = [set(get_arcs(doc)) for doc in nlp.pipe(docs, n_process=2, batch_size=3)]
    assert found == [gold(doc) for doc in references(nlp.vocab)] * 2


def test_batches_make_no_difference(nlp):
    docs = [bare_copy(doc, True) for doc in references(nlp.vocab)]
    together = nlp.get_pipe("sdp_parser").predict([*docs, docs[0]])
    assert together == [nlp.get_pipe("sdp_parser").predict([doc])[0] for doc in [*docs, docs[0]]]


def test_several_sentences_in_a_doc(nlp):
    docs = list(references(nlp.vocab))
    joined = Doc.from_docs([bare_copy(doc, True) for doc in docs])
    expected, first = set(), 0
    for doc in docs:
        for arc in gold(doc):
            head = arc.head if arc.head == ROOT else first + arc.head
            expected.add(arc._replace(head=head, dependent=first + arc.dependent))
        first += len(doc)
    assert set(get_arcs(nlp(joined))) == expected


def with_spaces(doc):
    """The same sentence with whitespace tokens in it, the first of which is the head of a word."""
    words = ["\n", doc[0].text, " "] + [token.text for token in doc[1:]] + ["\n\n"]
    place = {i: i + 1 if i == 0 else i + 2 for i in range(len(doc))}
    heads = [place[doc[0].head.i], place[doc[0].head.i], 1]
    heads += [place[token.head.i] for token in doc[1:]] + [place[len(doc) - 1]]
    tags = ["_SP", doc[0].tag_, "_SP"] + [token.tag_ for token in doc[1:]] + ["_SP"]
    deps = ["dep", doc[0].dep_, "dep"] + [token.dep_ for token in doc[1:]] + ["dep"]
    return Doc(doc.vocab, words=words, tags=tags, heads=heads, deps=deps), place


def test_whitespace_is_passed_over(nlp):
    for doc in references(nlp.vocab):
        spaced, place = with_spaces(doc)
        expected = {
            arc._replace(head=place.get(arc.head, ROOT), dependent=place[arc.dependent])
            for arc in gold(doc)
        }
        assert set(get_arcs(nlp(spaced))) == expected


def test_whitespace_heads():
    vocab = spacy.blank("en").vocab
    doc = Doc(vocab, words=["a", " ", "b", "\n"], heads=[1, 2, 2, 2], deps=["x", "y", "ROOT", "z"])
    batch = read_batch([doc, Doc(vocab), Doc(vocab, words=[" "]), Doc(vocab, words=["c"])])
    assert batch.tokens.head.tolist() == [1, 1, 2] and batch.tokens.depth.tolist() == [1, 0, 0]
    assert batch.index.tolist() == [0, 2, 0] and batch.doc.tolist() == [0, 0, 3]
    assert [numbers.tolist() for numbers in batch.numbers()] == [[0, -1, 1, -1], [], [-1], [2]]
    assert (batch.tokens.start.tolist(), batch.tokens.end.tolist()) == ([0, 0, 2], [2, 2, 3])


@pytest.mark.filterwarnings(WARNINGS)
@pytest.mark.parametrize(
    "words",
    [
        [],
        [" "],
        ["one"],
        ["\n", " "],
        ["🦊", "👩‍👩‍👧", "!"],
        ["שלום", "עולם", "."],
        [f"w{i}" for i in range(3000)],
    ],
    ids=lambda words: f"{len(words)} tokens",
)
def test_odd_input(nlp, words):
    doc = nlp(Doc(nlp.vocab, words=words))
    graph = doc._.sdp
    assert list(graph.words) == words
    space = {i for i, word in enumerate(words) if word.isspace()}
    for arc in graph.arcs:
        assert arc.dependent not in space and arc.head not in space
        assert arc.head == ROOT or abs(arc.head - arc.dependent) <= 10
    pairs = {arc[:2] for arc in graph.arcs}
    assert not any((dependent, head) in pairs for head, dependent in pairs)


@pytest.mark.filterwarnings(WARNINGS)
def test_one_word_has_a_top(nlp):
    (arc,) = nlp(Doc(nlp.vocab, words=["Sleep"]))._.sdp.arcs
    assert arc == Arc(ROOT, 0, TOP)


def test_missing_annotation_is_said_once():
    nlp = make_parser()
    train(nlp)
    with pytest.warns(UserWarning, match="UW301.*without tags"):
        nlp("No tags here")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nlp("No tags here either")


def test_labels(nlp):
    assert nlp.get_pipe("sdp_parser").labels == ("ARG1", "ARG2", "ARG2*", "BV", "_and_c")
    assert nlp.get_pipe("sdp_parser").label_data == list(nlp.get_pipe("sdp_parser").labels)


@pytest.mark.parametrize("model", MODELS)
def test_labels_can_be_added(model):
    nlp = make_parser(model)
    pipe = nlp.get_pipe("sdp_parser")
    assert pipe.add_label("new") and not pipe.add_label("new")
    train(nlp)
    assert pipe.labels[0] == "new"
    before = [parse(nlp, doc) for doc in references(nlp.vocab)]
    assert pipe.add_label("later") == 1
    assert [parse(nlp, doc) for doc in references(nlp.vocab)] == before
    doc = next(references(nlp.vocab))
    arcs = [arc._replace(label="later") if arc.label == "ARG1" else arc for arc in doc._.sdp.arcs]
    doc._.sdp = BilexicalGraph(doc._.sdp.tokens, tuple(arcs))
    optimizer = nlp.create_optimizer()
    optimizer.learn_rate = 0.01
    for _ in range(3 * STEPS[model]):
        nlp.update([Example(bare_copy(doc, True), doc)], sgd=optimizer)
    assert parse(nlp, doc) == set(arcs)
    again = make_parser(model).from_bytes(nlp.to_bytes())
    assert parse(again, doc) == set(arcs)


def test_rare_labels():
    nlp = make_parser(min_label_freq=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is meant so
        train(nlp)
    assert nlp.get_pipe("sdp_parser").labels == ("ARG1", "ARG2*")
    labels = {arc.label for doc in references(nlp.vocab) for arc in parse(nlp, doc)}
    assert labels == {TOP, "ARG1", "ARG2"}


def test_unknown_labels_in_training_are_said(nlp):
    nlp = make_parser().from_bytes(nlp.to_bytes())
    doc = next(references(nlp.vocab))
    arcs = (Arc(ROOT, 1, TOP), Arc(1, 0, "ARG1"), Arc(1, 3, "ARG7"))
    doc._.sdp = BilexicalGraph(doc._.sdp.tokens, arcs)
    with pytest.warns(UserWarning, match=r"UW871.*ARG7"):
        nlp.update([Example(bare_copy(doc, True), doc)], sgd=nlp.create_optimizer())
    # They are scored as missed.
    scores = nlp.evaluate([Example(bare_copy(doc, True), doc)])
    assert scores["sdp_lr"] < 1 and scores["sdp_per_type"]["ARG7"]["r"] == 0


def test_training_data_without_graphs():
    nlp = make_parser()
    examples = [
        Example(eg.predicted, bare_copy(eg.predicted, True)) for eg in make_examples(nlp.vocab)
    ]
    with pytest.raises(ValueError, match=r"UC312.*SdpCorpus"):
        nlp.initialize(lambda: examples)
    train(nlp, 1)
    assert nlp.get_pipe("sdp_parser").update(examples, sgd=nlp.create_optimizer()) == {
        "sdp_parser": 0
    }


def test_not_initialized():
    nlp = make_parser()
    with pytest.raises(ValueError, match="E109"):
        nlp("text")
    with pytest.raises(ValueError, match="UC352"):
        make_parser(loss="hinge")
    with pytest.raises(NotImplementedError, match="UC313"):
        nlp.get_pipe("sdp_parser").rehearse([])
    with pytest.raises(ValueError, match="UC877"):
        make_parser().add_pipe(
            "sdp_parser",
            name="other",
            config={"model": {"@architectures": "spacy-ucca.LogitEdge.v1", "features": ["Brown"]}},
        )


def test_gold_of_other_tokens():
    nlp = make_parser()
    reference = next(references(nlp.vocab))
    # "to sleep" is one token, and there is whitespace more.
    words = ["Ann", " ", "wants", "tosleep", "."]
    eg = Example(Doc(nlp.vocab, words=words), reference)
    batch = read_batch([eg.predicted])
    found = read_gold([eg], batch, ["ARG1", "ARG2"])
    assert batch.index[found.head].tolist() == [2] and batch.index[found.dependent].tolist() == [0]
    assert batch.index[numpy.flatnonzero(found.top)].tolist() == [2]
    assert batch.index[numpy.flatnonzero(found.used)].tolist() == [0, 2]


def test_scores_of_other_tokens(nlp):
    reference = next(references(nlp.vocab))
    predicted = Doc(nlp.vocab, words=["Ann", " ", "wants", "tosleep", "."])
    predicted._.sdp = BilexicalGraph(
        tuple(map(Token, [token.text for token in predicted])),
        (Arc(ROOT, 2, TOP), Arc(2, 0, "ARG1"), Arc(2, 3, "ARG2"), Arc(3, 0, "ARG1")),
    )
    scores = nlp.get_pipe("sdp_parser").score([Example(predicted, reference)])
    assert (scores["sdp_lp"], scores["sdp_lr"], scores["sdp_lm"]) == (2 / 4, 2 / 4, 0)
    missing = Example(Doc(nlp.vocab, words=["Ann"]), reference)
    scores = nlp.get_pipe("sdp_parser").score([missing])
    assert (scores["sdp_lp"], scores["sdp_lr"]) == (None, 0)
    assert nlp.get_pipe("sdp_parser").score([])["sdp_lf"] is None


def test_sentences_of_the_reference_are_scored(nlp):
    docs = list(references(nlp.vocab))[:2]
    joined = Doc.from_docs(docs)
    arcs = [*docs[0]._.sdp.arcs]
    for head, dependent, label, remote in docs[1]._.sdp.arcs:
        arcs.append(Arc(head if head == ROOT else head + 5, dependent + 5, label, remote))
    tokens = tuple(Token(token.text) for token in joined)
    joined._.sdp = BilexicalGraph(tokens, tuple(arcs))
    for wrong, whole in ((-1, 1 / 2), (0, 1 / 2), (None, 1)):
        predicted = bare_copy(joined, False)
        found = [arc for i, arc in enumerate(arcs) if wrong is None or i != wrong % len(arcs)]
        predicted._.sdp = BilexicalGraph(tokens, tuple(found))
        scores = nlp.get_pipe("sdp_parser").score([Example(predicted, joined)])
        assert (scores["sdp_lm"], scores["sdp_lr"]) == (whole, len(found) / len(arcs))


def test_graphs_of_other_tokens(nlp):
    """Merged tokens are learned; those of another text are refused."""
    doc = next(references(nlp.vocab))
    other = Doc(doc.vocab, words=[token.text + "x" for token in doc], user_data=doc.user_data)
    with pytest.raises(UccaError, match="UC203"):
        nlp.update([Example(bare_copy(doc, True), other)])
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    losses = nlp.update([Example(bare_copy(doc, True), doc)])
    assert losses["sdp_parser"] > 0


def test_docs_of_sdp_files(nlp):
    graph = BilexicalGraph((Token("Ann", "Ann", "_", "NNP"), Token("sleeps", "sleep", "_", "VBZ")))
    doc = graph_to_sdp_doc(graph, nlp.vocab)
    batch = read_batch([doc])
    strings = nlp.vocab.strings
    assert [strings[key] for key in batch.tokens.lemma.tolist()] == ["Ann", "sleep"]
    assert [strings[key] for key in batch.tokens.tag.tolist()] == ["NNP", "VBZ"]
    plain = read_batch([Doc(nlp.vocab, words=["Ann"], pos=["PROPN"])])
    assert [strings[int(c[0])] for c in (plain.tokens.lemma, plain.tokens.tag)] == ["ann", "PROPN"]
