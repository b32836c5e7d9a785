"""Pipelines that vote: the component, saved and loaded, and the commands that make and take it."""

import json
import pickle
from itertools import chain, product

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.vocab import Vocab
from typer.testing import CliRunner
from util import make_doc, make_nlp, overfit, same_graphs

from spacy_ucca.cli import app
from spacy_ucca.cli.ensemble import make_ensemble
from spacy_ucca.committee import UccaCommittee, voters_of
from spacy_ucca.component import UccaParser
from spacy_ucca.confidence import Calibration
from spacy_ucca.corpus import bare_copy, read_docbin
from spacy_ucca.decode import UNLIKELY
from spacy_ucca.dependencies import clear_dependencies
from spacy_ucca.errors import UccaError
from spacy_ucca.graph import EdgeTuple, Graph
from spacy_ucca.repair import repair
from spacy_ucca.search import Beam
from spacy_ucca.voting import MAJORITY, vote

runner = CliRunner()
pytestmark = pytest.mark.filterwarnings("ignore:.*UW301")


@pytest.fixture(scope="module")
def weak(graphs: list[Graph]) -> Language:
    """Hardly trained."""
    nlp = make_nlp(graphs, seed=1)
    overfit(nlp, graphs, steps=2)
    return nlp


@pytest.fixture(scope="module")
def folders(tree: Language, weak: Language, tmp_path_factory) -> list[str]:
    folder = tmp_path_factory.mktemp("models")
    for name, nlp in (("tree", tree), ("weak", weak)):
        nlp.to_disk(folder / name)
    return [str(folder / "tree"), str(folder / "weak")]


@pytest.fixture(scope="module")
def ensemble(folders: list[str]) -> Language:
    return make_ensemble(folders, [3, 1])


def plain(graphs: list[Graph], vocab: Vocab) -> list[Doc]:
    return [bare_copy(make_doc(vocab, graph), False) for graph in graphs]


@pytest.mark.parametrize("rules", [True, False])
def test_the_vote_of_its_pipelines(tree, weak, folders, graphs, monkeypatch, rules):
    nlp = spacy.blank("en")
    config = {"pipelines": [*folders, folders[0]], "repair": rules}
    nlp.add_pipe("ucca_committee", config=config)
    found = [doc._.ucca for doc in nlp.pipe(plain(graphs, nlp.vocab))]
    members = (tree, weak, tree)
    for member in members:
        monkeypatch.setattr(member.get_pipe("ucca_parser"), "extras_threshold", UNLIKELY)
        monkeypatch.setattr(member.get_pipe("ucca_parser"), "repair", False)
    each = [[doc._.ucca for doc in m.pipe(plain(graphs, m.vocab))] for m in members]
    assert not all(same_graphs(each[0], each[1]))
    decoded = [*chain(*each)]
    assert not all(same_graphs(decoded, [repair(graph) for graph in decoded]))
    voted = [vote(own, rules=rules) for own in zip(*each)]
    assert all(same_graphs(found, [repair(graph) for graph in voted] if rules else voted))
    parsers = [m.get_pipe("ucca_parser") for m in nlp.get_pipe("ucca_committee").members]
    assert all(parser.repair for parser in parsers)
    again = [nlp(doc)._.ucca for doc in plain(graphs, nlp.vocab)]
    assert all(same_graphs(again, found))


def test_each_parser_of_a_pipeline_votes(tree, weak, folders, graphs):
    both = spacy.load(folders[0])
    both.add_pipe("ucca_parser", name="other", source=spacy.load(folders[1]))
    together = make_ensemble(folders, [3, 1])
    one = make_ensemble([folders[0]])
    committee = one.get_pipe("ucca_committee")
    committee.members = [both]
    separate = make_ensemble(folders)
    docs = plain(graphs, one.vocab)
    found = [doc._.ucca for doc in one.pipe(docs)]
    assert all(same_graphs(found, [d._.ucca for d in separate.pipe(plain(graphs, one.vocab))]))
    # A weight is that of each parser of a pipeline.
    committee.members, committee.weights = [both, tree], [1, 2]
    found = [doc._.ucca for doc in one.pipe(plain(graphs, one.vocab))]
    voted = [doc._.ucca for doc in together.pipe(plain(graphs, one.vocab))]
    assert all(same_graphs(found, voted))


def test_parsers_name_what_is_unlikely_in_a_vote_alone(folders, graphs, monkeypatch):
    seen = []
    plain_parse = UccaParser._parse

    def parse(self, *args):
        seen.append((self.extras_threshold, self.repair))
        return plain_parse(self, *args)

    monkeypatch.setattr(UccaParser, "_parse", parse)
    settings = product([True, False], [True, False], [0.4, 0.05])
    for scored, mend, own in settings:
        nlp = make_ensemble(folders, scored=scored, repair=mend)
        committee = nlp.get_pipe("ucca_committee")
        assert committee.repair is mend
        parsers = [m.get_pipe("ucca_parser") for m in committee.members]
        for parser in parsers:
            parser.extras_threshold = own
        seen.clear()
        for _ in nlp.pipe(plain(graphs, nlp.vocab)):
            pass
        assert set(seen) == {(min(own, UNLIKELY) if scored else own, False)}
        assert all(parser.extras_threshold == own and parser.repair for parser in parsers)


def test_weights_and_majority(tree, folders, graphs, monkeypatch):
    monkeypatch.setattr(tree.get_pipe("ucca_parser"), "repair", False)
    gold = [doc._.ucca for doc in tree.pipe(plain(graphs, tree.vocab))]
    nlp = make_ensemble(folders, [3, 1], majority=True, repair=False)
    docs = nlp.pipe(plain(graphs, nlp.vocab))
    assert all(same_graphs([doc._.ucca for doc in docs], gold))
    (committee,) = [pipe for _, pipe in nlp.pipeline]
    assert isinstance(committee, UccaCommittee) and committee.thresholds == MAJORITY


def test_saved_with_its_pipelines(folders, graphs, tmp_path):
    nlp = make_ensemble(folders, [2, 1], scored=False)
    nlp.to_disk(tmp_path / "a")
    loaded = spacy.load(tmp_path / "a")
    docs = [doc._.ucca for doc in nlp.pipe(plain(graphs, nlp.vocab))]
    assert all(same_graphs((d._.ucca for d in loaded.pipe(plain(graphs, loaded.vocab))), docs))
    assert loaded.get_pipe("ucca_committee").scored is False
    config = {"weights": [2.0, 1.0], "scored": False}
    other = spacy.blank("en")
    other.add_pipe("ucca_committee", config=config).from_bytes(
        nlp.get_pipe("ucca_committee").to_bytes()
    )
    assert all(same_graphs((d._.ucca for d in other.pipe(plain(graphs, other.vocab))), docs))
    pickle.dumps(nlp.get_pipe("ucca_committee").to_bytes())
    found = list(loaded.pipe([graphs[0].words and " ".join(graphs[0].words)] * 3, n_process=2))
    assert len({str(doc._.ucca.canonical) for doc in found}) == 1


def test_sentences(folders):
    nlp = make_ensemble(folders)
    for member in nlp.get_pipe("ucca_committee").members:
        member.add_pipe("sentencizer", first=True)
    doc = nlp("Ann left. Bob slept.")
    assert len(doc._.ucca.roots) == len(list(doc.sents)) == 2
    divided = Doc(nlp.vocab, words=["Ann", "left", "Bob", "slept"], sent_starts=[1, 0, 1, 0])
    assert [min(root.tokens()) for root in nlp(divided)._.ucca.roots] == [0, 2]


def test_punctuation_is_what_the_doc_says(ensemble):
    words = "Ann , who slept . said no !".split()
    for flags in (None, (False,) * 8, (True, False) * 4):
        doc = Doc(ensemble.vocab, words=words)
        doc._.ucca_punct = flags
        found = ensemble(doc)._.ucca.punct
        assert doc._.ucca_punct == flags and found == (flags or found)


@pytest.mark.parametrize("text", ["", " ", "\n\n", "a", "🦊 שלום", "!", "a b " * 300])
def test_any_text(ensemble, text):
    doc = ensemble(text)
    assert doc._.ucca.words == tuple(token.text for token in doc)


def test_pipelines_of_other_kinds(folders, graphs):
    nlp = spacy.blank("en")

    @Language.component("all_under_one_unit")
    def flat(doc: Doc) -> Doc:
        clear_dependencies(doc)
        doc._.ucca = _flat([token.text for token in doc])
        return doc

    other = spacy.blank("en")
    other.add_pipe("all_under_one_unit")
    committee = nlp.add_pipe("ucca_committee")
    committee.members = [spacy.load(folders[0]), other]
    assert voters_of(nlp)[0] is nlp and len(voters_of(nlp)) == 3
    for doc in nlp.pipe(plain(graphs, nlp.vocab)):
        assert doc._.ucca.words == tuple(token.text for token in doc)


def _flat(words: list[str]) -> Graph:
    edges = [EdgeTuple(1, ~i, ("Terminal",)) for i in range(len(words))]
    return Graph(words, ["FN", "FN"], [EdgeTuple(0, 1, ("H",)), *edges])


def test_commands(folders, tree, graphs, tmp_path):
    data, out = str(tmp_path / "in.spacy"), str(tmp_path / "ens")
    DocBin(docs=[make_doc(Vocab(), graph) for graph in graphs], store_user_data=True).to_disk(data)
    models = ["--model", folders[0], "--model", folders[1]]
    result = runner.invoke(app, ["ensemble", out, *models, "-w", "3", "-w", "1"])
    assert result.exit_code == 0, result.output
    result = runner.invoke(app, ["evaluate", out, data, "--json", "-"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["ucca_f"] > 0.9
    labeled = str(tmp_path / "labeled.spacy")
    result = runner.invoke(app, ["label", data, labeled, "--model", out])
    assert result.exit_code == 0, result.output
    nlp = spacy.load(out)
    expected = [doc._.ucca for doc in nlp.pipe(plain(graphs, nlp.vocab))]
    assert all(same_graphs([doc._.ucca for doc in read_docbin(labeled, Vocab())], expected))
    (tmp_path / "text.txt").write_text("Ann left.", "utf8")
    args = ["parse", str(tmp_path / "text.txt"), "--model", out, "--guidelines", "v1"]
    result = runner.invoke(app, args)
    assert result.exit_code == 0 and "Ann" in result.output


def test_beams_of_voters(folders, graphs, tmp_path, monkeypatch):
    data, out = str(tmp_path / "in.spacy"), str(tmp_path / "ens")
    DocBin(docs=[make_doc(Vocab(), graph) for graph in graphs], store_user_data=True).to_disk(data)
    (tmp_path / "text.txt").write_text("Ann left.", "utf8")
    models = ["--model", folders[0], "--model", folders[1]]
    assert runner.invoke(app, ["ensemble", out, *models]).exit_code == 0
    widths = []

    def beam_of(pipe):
        widths.append(pipe.beam_width)
        return Beam(pipe.beam_width)

    monkeypatch.setattr(UccaParser, "beam", property(beam_of))
    for args in (
        ["parse", str(tmp_path / "text.txt"), "--model", out],
        ["evaluate", out, data],
        ["label", data, str(tmp_path / "labeled.spacy"), "--model", out],
        ["label", data, str(tmp_path / "labeled.spacy"), *models],
    ):
        for options, expected in (([], 1), (["--beam-width", "3"], 3)):
            result = runner.invoke(app, [*args, *options])
            assert result.exit_code == 0, result.output
            assert widths[-1] == expected
        assert runner.invoke(app, [*args, "--beam-width", "3", "--beam-votes"]).exit_code == 0
        assert runner.invoke(app, [*args, "--beam-width", "0"]).exit_code == 2


def test_all_parses_of_a_beam_vote(tree, weak, folders, graphs, monkeypatch):
    nlp = make_ensemble(folders, [1, 4], beam_width=4, beam_votes=True, repair=False)
    docs = plain([*graphs, Graph.join(graphs)], nlp.vocab)
    parsers = [member.get_pipe("ucca_parser") for member in (tree, weak)]
    for parser in parsers:
        settings = {"extras_threshold": UNLIKELY, "repair": False, "beam_width": 4}
        for name, value in {**settings, "beam_votes": False}.items():
            monkeypatch.setattr(parser, name, value)
    voted = []
    for found in zip(*(parser.beam_parse(docs) for parser in parsers), strict=True):
        votes = [(w * own, g) for w, beam in zip([1, 4], found, strict=True) for own, g in beam]
        voted.append(vote([graph for _, graph in votes], [weight for weight, _ in votes]))
    committee = nlp.get_pipe("ucca_committee")
    assert all(same_graphs(committee.predict(docs), voted))
    assert max(len(beam) for beam in parsers[1].beam_parse(docs)) == 4
    # Not so if another component may have changed what they have set, or they are not asked to.
    likeliest = [vote(own, [1, 4]) for own in zip(*(p.predict(docs) for p in parsers), strict=True)]
    assert not all(same_graphs(likeliest, voted))
    seen = []

    @Language.component("sees_graphs")
    def sees_graphs(doc):
        seen.append(doc._.ucca)
        return doc

    for member in committee.members:
        member.get_pipe("ucca_parser").beam_votes = False
    assert all(same_graphs(committee.predict(docs), likeliest))
    for member in committee.members:
        member.get_pipe("ucca_parser").beam_votes = True
        member.add_pipe("sees_graphs")
    for parser in parsers:
        parser.beam_votes = True
    own_votes = [vote(g, [1, 4]) for g in zip(*(p.predict(docs) for p in parsers), strict=True)]
    assert all(same_graphs(committee.predict(docs), own_votes)) and len(seen) == 2 * len(docs)


def test_extras_are_not_calibrated_in_a_vote(sample):
    """By what was fitted on likely ones, unlikely ones come out as likely as these."""
    unsure = make_nlp(sample, seed=3)
    overfit(unsure, sample, steps=6)
    nlp = spacy.blank("en")
    committee = nlp.add_pipe("ucca_committee")
    committee.members = [unsure]
    docs = plain(sample, nlp.vocab)
    before = committee.predict(docs)
    parser = unsure.get_pipe("ucca_parser")
    parser.calibration = Calibration({"remote": [9.0, 0.0], "implicit": [9.0, 0.0]})
    kept = dict(parser.cfg)
    assert all(same_graphs(committee.predict(docs), before))
    assert parser.cfg == kept


def test_an_ensemble_keeps_its_beams(folders, tmp_path):
    options = ["--model", folders[0], "--model", folders[1], "--beam-width", "3", "--beam-votes"]
    assert runner.invoke(app, ["ensemble", str(tmp_path / "out"), *options]).exit_code == 0
    members = voters_of(spacy.load(tmp_path / "out"))[1:]
    parsers = [member.get_pipe("ucca_parser") for member in members]
    assert [(parser.beam_width, parser.beam_votes) for parser in parsers] == [(3, True)] * 2


def test_mistakes(folders, tmp_path):
    spacy.blank("en").to_disk(tmp_path / "blank")
    broken = tmp_path / "broken" / "config.cfg"
    broken.parent.mkdir()
    broken.write_text("[nlp]\nlang = en\nlang = de\n", "utf8")
    cases = [
        (["-m", str(tmp_path / "blank")], "UC864"),
        (["-m", str(tmp_path / "none")], "UC508"),
        (["-m", str(broken.parent)], "UC508"),
        (["-m", folders[0], "-w", "1", "-w", "2"], "UC861"),
        (["-m", folders[0], "-w", "0"], "UC861"),
    ]
    for options, code in cases:
        result = runner.invoke(app, ["ensemble", str(tmp_path / "out"), *options])
        assert result.exit_code == 1 and code in result.output, result.output
        assert not (tmp_path / "out").exists()
    nlp = spacy.blank("en")
    nlp.add_pipe("ucca_committee")
    with pytest.raises(UccaError, match="UC863"):
        nlp("Ann left.")
    nlp.get_pipe("ucca_committee").members = [spacy.blank("en")]
    with pytest.raises(UccaError, match="UC864"):
        nlp("Ann left.")


def test_scored_by_spacy(ensemble, graphs):
    references = [make_doc(ensemble.vocab, graph) for graph in graphs]
    scores = ensemble.evaluate([Example(bare_copy(doc, False), doc) for doc in references])
    assert scores["ucca_f"] > 0.5
