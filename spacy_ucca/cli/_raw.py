"""`spacy-ucca evaluate --raw`: score a pipeline on the plain text of gold passages, beside gold tokens and sentences."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ..errors import Errors, UccaError
from ._util import BadFiles, percent, progress, table

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

    from ..training.convert import GoldPassage

GOLD, TOKENIZED, RAW = "gold", "gold_sentences", "raw"
ROWS = {
    GOLD: "gold sentences, gold tokens",
    TOKENIZED: "gold sentences",
    RAW: "raw text",
}


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
    from ..tokens.extension import get_graph, set_guidelines

    docs = [doc_of(nlp, passage, row) for passage in passages]
    for passage, doc in zip(passages, docs):
        set_guidelines(doc, guidelines or passage.graph.guidelines)
    for doc in progress(nlp.pipe(docs), total=len(docs), show=show, unit="passage"):
        if get_graph(doc) is None:
            raise UccaError(Errors.UC506)
        yield doc


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
    measures: tuple[str, ...] = (
        "ucca_f",
        "ucca_primary_f",
        "ucca_remote_f",
        "sents_p",
        "sents_r",
        "sents_f",
    )
    head = ["", *columns, *(f"sentences {m}" for m in "PRF"), "other tokens"]
    if "ucca_las" in scores[RAW]:
        measures, head = (*measures, "ucca_las", "ucca_uas"), [*head[:-1], "LAS", "UAS", head[-1]]
    rows = [head]
    for row, name in ROWS.items():
        values = scores[row]
        cells = [percent(values[measure]) for measure in measures]
        rows.append([name, *cells, percent(values["tokens_differing"] / values["tokens"])])
    return table(rows, "<" + ">" * (len(head) - 1))
