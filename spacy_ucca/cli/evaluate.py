"""`spacy-ucca evaluate`: score a pipeline on .spacy files with gold graphs, of UCCA or bilexical, or on raw text, and measure
its speed.

`spacy evaluate` tokenizes anew or cuts Docs into sentences, and the gold graph no longer fits. This command keeps the tokens
and sentences of the file.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import typer

from ..errors import Errors, UccaError
from ..files import check_outputs
from ..metric.counts import IMPLICIT, PRIMARY, REMOTE
from ._command import BeamWidth, Gpu, Json, Lang, Lists, Mapping, PerType, Show, Ud, app, flag
from ._util import BadFiles, exists, percent, progress, refuse_options, table, write_figures
from .compare import system_names
from .score import format_intervals, format_scores, parse_mapping

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

    from ..training.convert import GoldPassage
    from ..training.evaluation import Evaluation

GOLD, TOKENIZED, RAW = "gold", "gold_sentences", "raw"
ROWS = {GOLD: "gold sentences, gold tokens", TOKENIZED: "gold sentences", RAW: "raw text"}


@app.command("evaluate")
def evaluate_cli(
    inputs: list[str] = typer.Argument(
        ...,
        metavar="MODEL... DATA...",
        help="Pipelines (names or directories), then .spacy files with gold graphs, or directories of them; with --raw: one pipeline and a corpus of any format",
        show_default=False,
    ),
    raw: bool = flag("Score the whole way from plain text, over whole passages", "--raw"),
    lists: Lists = [],
    ud: Ud = [],
    json_path: Json = None,
    mapping: Mapping = [],
    lang: Lang = None,
    guidelines: str = typer.Option(None, help="Guidelines to follow, whatever the files name"),
    per_type: PerType = False,
    brackets: bool = flag(
        "Also score constituency trees of the graphs, as evalb does", "--brackets"
    ),
    trees: bool = flag("Also score dependency trees of the graphs: LAS and UAS", "--trees"),
    beam_width: BeamWidth = None,
    back: str = typer.Option(
        None, help="How dependencies or arcs are made graphs: levels, published or draft"
    ),
    gpu_id: Gpu = -1,
    show: Show = None,
) -> None:
    """Score a pipeline on .spacy files with gold graphs, made by `spacy-ucca convert` or `spacy-ucca bilexical`. Several pipelines
    are compared with the first, on each file or directory by itself.

    The tokens and sentences of the file are kept; tags, dependencies and graphs are predicted. If the corpus follows
    other guidelines than the pipeline has learned, name some that it has, and map the categories that the corpus does not
    have: --guidelines v2 --map T=D --map Q=E.

    With --raw, tokens and sentences are the pipeline's too. Passages are scored as wholes; units are compared by characters
    where tokens differ. A passage is used if --list names it or all of its sentences.
    """
    replaced = parse_mapping(mapping)
    if replaced:
        converted = {"--trees": trees, "--brackets": brackets}
        refuse_options(converted, "Not with --map, which the trees do not follow.")
    if raw:
        refuse_options({"--brackets": brackets}, "Not with --raw.")
    else:
        refuse_options({"--list": lists, "--ud": ud}, "Only with --raw.")
    from ..formats.files import find_files
    from ..training.corpus import find_docbins
    from ._pipelines import load_pipeline

    models, sets = _models_and_sets(inputs)
    several = len(models) + len(sets) > 2
    if several:
        of_one = {"--raw": raw, "--brackets": brackets, "--trees": trees, "--per-type": per_type}
        refuse_options(of_one, "Only with one pipeline and one set.")
    bad = BadFiles()
    files = [file for data in sets for file in (find_files([data]) if raw else find_docbins(data))]
    check_outputs([json_path], [*models, *files, *lists, *ud])
    options: dict[str, Any] = {"beam_width": beam_width, "guidelines": guidelines, "back": back}
    load = partial(load_pipeline, gpu_id=gpu_id, lang=lang, texts=raw, **options)
    pipelines = list(map(load, models))
    if several:
        from ..training.evaluation import evaluate_pipelines

        result = evaluate_pipelines(
            dict(zip(system_names(models), pipelines)),
            dict(zip(system_names(sets), sets)),
            guidelines=guidelines,
            mapping=replaced,
            track=_tracked(show),
        )
        write_figures(_format_evaluation(result), result.to_dict(), json_path)
        return
    (nlp,), (data,) = pipelines, sets
    options = {"mapping": replaced, "trees": trees, "show": show}
    if raw:
        guidelines = guidelines or ""
        scores = evaluate_raw(
            nlp, data, ids=lists, ud=ud, guidelines=guidelines, bad=bad, **options
        )
        text = format_raw(scores)
        if per_type:
            text += "\n\n" + format_scores(scores[RAW], per_type=True)
        text += f"\n{scores['passages']} passages, {scores['words']} words"
    else:
        scores = evaluate(nlp, data, guidelines=guidelines, brackets=brackets, **options)
        text = _format(scores, per_type)
        text += f"{scores['docs']} Docs"
    text += f", {scores['speed']:.0f} words per second."
    write_figures(text, scores, json_path)
    bad.finish()


def _models_and_sets(inputs: Sequence[str]) -> tuple[list[str], list[Path]]:
    """RETURNS (Tuple[List[str], List[Path]]): What of the arguments is a pipeline, and what is data.
    RAISES (BadParameter): If one of both is missing, data do not exist, or a pipeline comes after them."""
    paths = [Path(name) for name in inputs]
    first = next((i for i, path in enumerate(paths) if i and _is_data(path)), len(paths) - 1)
    models, sets = list(inputs[:first]), paths[first:]
    if not models or not all(map(_is_data, sets[1:])):
        raise typer.BadParameter("Give pipelines first, then .spacy files or directories of them.")
    for path in sets:
        if not exists(path):
            raise typer.BadParameter(f"Path '{path}' does not exist.")
    return models, sets


def _is_data(path: Path) -> bool:
    """RETURNS (bool): Whether a path is one of data: a .spacy file, or a directory that is no pipeline."""
    return path.suffix == ".spacy" or (path.is_dir() and not (path / "config.cfg").exists())


def _format_evaluation(result: "Evaluation") -> str:
    """RETURNS (str): The scores of pipelines as a table, in percent."""
    several = any(len(comparison.systems) > 1 for comparison in result.comparisons.values())
    head = ["set", "pipeline", "all", "95 %", "primary", "remote", "implicit"]
    head += ["difference", "95 %", "p"] * several + ["words/s"]
    rows = [head]
    for name, comparison in result.comparisons.items():
        for i, score in enumerate(comparison.of()):
            kinds = [comparison.of(part=part)[i].f1 for part in (PRIMARY, REMOTE, IMPLICIT)]
            cells = [name if i == 0 else "", score.system, percent(score.f1)]
            interval, *difference = score.texts.values()
            cells += [interval, *map(percent, kinds), *(difference if several else ())]
            rows.append([*cells, f"{result.speeds[name][score.system]:,.0f}"])
    n = sum(len(comparison.sentences) for comparison in result.comparisons.values())
    return f"{table(rows, '<<' + '>' * (len(head) - 2))}\n\n{n} Docs."


def _format(scores: dict[str, Any], per_type: bool) -> str:
    """RETURNS (str): The scores, with the end of the last line."""
    lines = []
    if "ucca_f" in scores:
        lines.append(format_scores(scores, per_type=per_type))
        lines.append(format_intervals(scores["ucca_intervals"], "Docs"))
    if "sdp_lf" in scores:
        lines.append(format_sdp_scores(scores, per_type=per_type))
        if scores.get("sdp_singleton_acc") is not None:
            share = percent(scores["sdp_singleton_acc"])
            lines.append(f"Singletons: {share} % of tokens are classified right.")
    las, uas = (scores.get(f"ucca_{k}", scores.get(f"ucca_dep_{k}")) for k in ("las", "uas"))
    if las is not None and uas is not None:
        lines.append(f"Trees: {percent(las)} LAS, {percent(uas)} UAS.")
    if scores.get("ucca_bracket_f") is not None:
        lines.append(f"Constituency trees: {percent(scores['ucca_bracket_f'])} bracket F1.")
    return "".join(f"{line}\n" for line in lines)


def evaluate(
    nlp: "Language",
    data: Path,
    *,
    mapping: dict[str, str] | None = None,
    guidelines: str | None = None,
    brackets: bool = False,
    trees: bool = False,
    show: bool | None = False,
) -> dict[str, Any]:
    """Evaluate a pipeline.

    nlp (Language): The pipeline.
    data (Path): A .spacy file, or a directory of them.
    mapping (Optional[Dict[str, str]]): Categories to replace on both sides first.
    guidelines (Optional[str]): The guidelines to follow; with None, those that the files name.
    brackets (bool): Whether to score constituency trees, too: `ucca_bracket_p`, `_r` and `_f`.
    trees (bool): Whether to score dependency trees, too: `ucca_las` and `ucca_uas`. Those of the parser, if it predicts trees;
        else those of its graphs.
    show (Optional[bool]): Whether to show progress.
    RETURNS (Dict[str, Any]): The scores (`ucca_f`, ...; `sdp_lf`, ..., `sdp_singleton_acc` for files with bilexical graphs),
        `mapping`, `docs`, `words`, and `speed` in words per second of the whole pipeline without its tokenizer.
    RAISES (UccaError): If there are no such files, a Doc has lost its graph, or the parser has not learned the guidelines
        that a file names.
    """
    from spacy.scorer import Scorer

    from ..conversion.bounds import score_brackets, score_trees
    from ..metric.systems import edge_intervals
    from ..sdp_parser.component import SdpParser
    from ..training.evaluation import parse_gold

    examples, seconds = parse_gold(nlp, data, guidelines=guidelines, track=_tracked(show))
    # Tags and dependencies in the files are predicted, so scores against them would say nothing.
    all_scores = Scorer(nlp=nlp, mapping=mapping or {}).score(examples)
    scores = {name: value for name, value in all_scores.items() if name.startswith("ucca")}
    if all_scores.get("sdp_lf") is not None:
        scores |= {name: value for name, value in all_scores.items() if name.startswith("sdp_")}
        for _, pipe in nlp.pipeline:
            if isinstance(pipe, SdpParser):
                scores["sdp_singleton_acc"] = pipe.singleton_accuracy(examples)
    if not scores:
        raise UccaError(Errors.UC506)
    if (trees or brackets) and "ucca_f" not in scores:
        raise UccaError(Errors.UC548)
    pairs = [(eg.predicted._.ucca, eg.reference._.ucca) for eg in examples]
    if trees and "ucca_f" in scores:
        scores |= score_trees(pairs).to_scores()
        if scores.get("ucca_dep_las") is not None:  # a way back from trees can lose their heads
            scores |= {"ucca_las": scores["ucca_dep_las"], "ucca_uas": scores["ucca_dep_uas"]}
    if "ucca_f" in scores:
        scores["ucca_intervals"] = edge_intervals(pairs, mapping=mapping)
    if brackets and "ucca_f" in scores:
        tally = score_brackets(pairs)
        scores |= {f"ucca_bracket_{name}": value for name, value in tally.to_dict().items()}
    n_words = sum(len(eg.predicted) for eg in examples)
    return {
        **scores,
        "mapping": mapping or {},
        "docs": len(examples),
        "words": n_words,
        "speed": n_words / seconds,
    }


def _tracked(show: bool | None) -> Any:
    """RETURNS (Callable): Shows progress of Docs, whose number is known."""
    return lambda docs, n: progress(docs, total=n, show=show, unit="doc")


def format_sdp_scores(scores: dict[str, Any], *, per_type: bool = False) -> str:
    """RETURNS (str): The scores of bilexical graphs as a table, in percent; "-" where there was nothing to score."""
    measures = [kind + measure for kind in "lu" for measure in "prfm"]
    rows = [["", *(measure.upper() for measure in measures)]]
    for name, part in (("with tops", ""), ("without tops", "notop_")):
        rows.append([name, *(percent(scores[f"sdp_{part}{m}"]) for m in measures)])
    text = table(rows, "<" + ">" * len(measures))
    if per_type:
        body = [["label", "P", "R", "F"]]
        for label, values in scores["sdp_per_type"].items():
            body.append([label, *(percent(values[m]) for m in "prf")])
        text += "\n\n" + table(body, "<>>>")
    return text


def evaluate_raw(
    nlp: "Language",
    source: Path,
    *,
    ids: Sequence[Path] = (),
    ud: Sequence[Path] = (),
    guidelines: str = "",
    mapping: dict[str, str] | None = None,
    trees: bool = False,
    bad: BadFiles | None = None,
    show: bool | None = False,
) -> dict[str, Any]:
    """Evaluate a pipeline on passages: on their plain text, and with sentences and tokens given.

    nlp (Language): The pipeline.
    source (Path): A corpus of any format.
    ids (Sequence[Path]): Lists of passages or sentences to use.
    ud (Sequence[Path]): CoNLL-U files with the sentences.
    guidelines (str): The guidelines to follow; if not given, those that a passage names, or those of the pipeline.
    mapping (Optional[Dict[str, str]]): Categories to replace on both sides first.
    trees (bool): Whether to score the trees of the graphs, too.
    bad (Optional[BadFiles]): Collects the files that cannot be used.
    show (Optional[bool]): Whether to show progress.
    RETURNS (Dict[str, Any]): The scores of `tokens.raw_scorer.score_texts` under "raw", under "gold_sentences" (the tokens
        are still those of the pipeline) and under "gold" (tokens are given too); `passages`, `words`, `skipped`, `mapping`,
        and `speed` on raw text, in words per second of the whole pipeline.
    RAISES (UccaError): If there is nothing to score, or the pipeline sets no graphs.
    """
    from ..tokens.raw_scorer import GoldText, score_texts
    from ..training.convert import read_passages

    bad = bad or BadFiles()
    passages = read_passages(source, ids=ids, ud=ud, on_skipped=bad.add)
    golds = [GoldText(passage.graph, passage.sentence_ends) for passage in passages]
    scores: dict[str, Any] = {}
    seconds = 0.0
    for row in ROWS:
        start = perf_counter()
        docs = list(parse_passages(nlp, passages, row, guidelines=guidelines, show=show))
        seconds = perf_counter() - start  # in the end that of raw text, the last row
        scores[row] = score_texts(zip(docs, golds, strict=True), mapping=mapping, trees=trees)
    n_words = sum(len(passage.graph.words) for passage in passages)
    return {
        **scores,
        "mapping": mapping or {},
        "passages": len(passages),
        "words": n_words,
        "skipped": bad.files,
        "speed": n_words / seconds,
    }


def parse_passages(
    nlp: "Language",
    passages: "Sequence[GoldPassage]",
    row: str,
    *,
    guidelines: str = "",
    show: bool | None = False,
) -> "Iterator[Doc]":
    """Parse passages.

    nlp (Language): The pipeline.
    passages (Sequence[GoldPassage]): The passages.
    row (str): What is given beside their text: see `doc_of`.
    guidelines (str): The guidelines to follow; if not given, those that the passage names, or those of the pipeline.
    show (Optional[bool]): Whether to show progress.
    YIELDS (Doc): The parsed Docs.
    RAISES (UccaError): If the pipeline sets no graphs.
    """
    from ..tokens.extension import set_guidelines
    from ._text_pairs import parse_texts

    docs = [doc_of(nlp, passage, row) for passage in passages]
    for passage, doc in zip(passages, docs):
        set_guidelines(doc, guidelines or passage.graph.guidelines)
    yield from progress(parse_texts(nlp, docs), total=len(docs), show=show, unit="passage")


def doc_of(nlp: "Language", passage: "GoldPassage", row: str) -> "Doc":
    """Make the Doc of a passage before it is parsed.

    nlp (Language): The pipeline, for its tokenizer.
    passage (GoldPassage): The passage.
    row (str): "raw": the text alone; "gold_sentences": sentences are set; "gold": sentences, tokens and which of them are
        punctuation are set.
    RETURNS (Doc): The Doc.
    RAISES (UccaError): If the text is longer than the pipeline allows.
    """
    from spacy.tokens import Doc

    from ..text.pieces import token_spans
    from ..tokens.boundaries import set_sentence_starts
    from ..tokens.extension import set_punct

    words = passage.graph.words
    if row == GOLD:
        doc = Doc(nlp.vocab, words=list(words), spaces=list(passage.spaces))
        set_punct(doc, passage.graph.punct)
    else:
        text = passage.text
        if len(text) > nlp.max_length:
            name = passage.graph.details.get("id", "")
            raise UccaError(Errors.UC515.format(name=name, n=len(text), most=nlp.max_length))
        doc = nlp.make_doc(text)
    if row != RAW:
        spans = token_spans(words)
        ends = sorted(spans[end - 1][1] for end in passage.sentence_ends)
        waiting = 0  # the first sentence end that no token has reached
        started = True
        starts: list[bool] = []
        for start, end in token_spans(t.text for t in doc):
            starts.append(started and start < end)
            if start < end:
                reached = bisect_right(ends, end)
                started, waiting = reached > waiting, reached
        set_sentence_starts(doc, starts)
    return doc


def format_raw(scores: dict[str, Any]) -> str:
    """RETURNS (str): The scores as a table, in percent."""

    columns = ("all", "primary", "remote")
    measures = ["ucca_f", "ucca_primary_f", "ucca_remote_f", *(f"sents_{m}" for m in "prf")]
    head = ["", *columns, *(f"sentences {m}" for m in "PRF"), "other tokens"]
    if "ucca_las" in scores[RAW]:
        measures += ["ucca_las", "ucca_uas"]
        head[-1:] = ["LAS", "UAS", head[-1]]
    rows = [head]
    for row, name in ROWS.items():
        values = scores[row]
        cells = [percent(values[measure]) for measure in measures]
        rows.append([name, *cells, percent(values["tokens_differing"] / values["tokens"])])
    return table(rows, "<" + ">" * (len(head) - 1))
