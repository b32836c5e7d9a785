"""How long one sentence takes, and whether long sentences take longer per token.

    export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
    python benchmarks/bench_latency.py models/en_ucca_sm CORPUS.spacy [--repeat 20] [--json FILE]

First, `nlp(text)` of single sentences of 20 tokens, with `ucca_parser` and without it in turn; the median over
sentences of what it adds. Then `ucca_parser.pipe` over the same number of tokens as sentences of 10, 40, 160,
640 and 2,560 tokens. Such sentences are sentences of the corpus, with the tags and dependencies that the
pipeline predicts, put together under one root and cut to length, so that sentence boundaries cannot differ.
They go in batches, and one at a time, where the work that is done once per call weighs more.
"""

import itertools
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import spacy
import typer
from measuring import CPU_TIME, JSON, clock, interleave, one_thread, report, summary, table
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_ucca.training.corpus import read_docbin

MAX_TEXTS = 50


def texts_of_length(nlp: Language, texts: list[str], n_tokens: int) -> list[str]:
    """RETURNS (List[str]): Those texts that are so many tokens; the beginnings of longer ones, if none is."""
    docs = [nlp.make_doc(text) for text in texts]
    exact = [doc.text for doc in docs if len(doc) == n_tokens]
    found = exact or [doc[:n_tokens].text for doc in docs if len(doc) > n_tokens]
    if not found:
        raise typer.BadParameter(f"No text of the corpus has {n_tokens} tokens.")
    return found[:MAX_TEXTS]


def latency(
    nlp: Language, texts: list[str], repeat: int, now: Callable[[], float] = time.perf_counter
) -> dict[str, float]:
    """RETURNS (Dict[str, float]): Milliseconds with and without `ucca_parser`, and what it adds: medians over
    texts of the medians of the repeats. The last is the median of differences, not the other way round."""
    times: dict[str, list[float]] = {"with": [], "without": [], "added": []}
    for text in texts:
        seconds: dict[str, list[float]] = {"with": [], "without": []}
        for number in range(2 * repeat + 2):
            # In the order with, without, without, with.
            name = "with" if number % 4 in (0, 3) else "without"
            disable = [] if name == "with" else ["ucca_parser"]
            start = now()
            nlp(text, disable=disable)
            elapsed = now() - start
            if number >= 2:
                seconds[name].append(elapsed)
        middle = {name: 1000 * statistics.median(values) for name, values in seconds.items()}
        for name, value in middle.items():
            times[name].append(value)
        times["added"].append(middle["with"] - middle["without"])
    return {name: round(statistics.median(values), 3) for name, values in times.items()}


def long_sentences(vocab: Vocab, docs: list[Doc], length: int, n_tokens: int) -> list[Doc]:
    """Put sentences together.

    vocab (Vocab): The vocabulary.
    docs (List[Doc]): Parsed Docs, gone through again when they end.
    length (int): Tokens of each sentence.
    n_tokens (int): Tokens of all sentences, at least.
    RETURNS (List[Doc]): Docs of one sentence of exactly that many tokens.
    """
    tokens = _tokens(docs)
    made = []
    for _ in range(-(-n_tokens // length)):
        words, spaces, tags, heads, deps = [], [], [], [], []
        for i in range(length):
            word, space, tag, offset, dep = next(tokens)
            head = i + offset
            if dep == "ROOT" or not 0 <= head < length:  # a root, or the sentence was cut
                head, dep = 0, "parataxis"
            words.append(word)
            spaces.append(space)
            tags.append(tag)
            heads.append(head)
            deps.append(dep if i else "ROOT")
        heads[0] = 0
        made.append(Doc(vocab, words=words, spaces=spaces, tags=tags, heads=heads, deps=deps))
    assert all(len(doc) == length and len(list(doc.sents)) == 1 for doc in made)
    return made


def _tokens(docs: list[Doc]) -> Iterator[tuple[str, bool, str, int, str]]:
    sentences: list[Span] = [sent for doc in docs for sent in doc.sents]
    for sent in itertools.cycle(sentences):
        for token in sent:
            if not token.is_space:
                offset = token.head.i - token.i
                yield token.text, bool(token.whitespace_), token.tag_, offset, token.dep_


def main(
    model: Path,
    corpus: Path,
    n_tokens: int = typer.Option(20, help="Tokens of the sentences that are parsed alone"),
    lengths: str = typer.Option("10,40,160,640,2560", help="Lengths of sentences, in tokens"),
    size: int = typer.Option(25_600, help="Tokens for each length"),
    repeat: int = typer.Option(20, help="Repeats with each sentence"),
    rounds: int = typer.Option(3, help="Rounds over all lengths"),
    cpu_time: bool = CPU_TIME,
    json: Path | None = JSON,
) -> None:
    """Time single sentences, and sentences of different lengths."""
    one_thread()
    now = clock(cpu_time)
    nlp = spacy.load(model)
    gold = list(read_docbin(corpus, nlp.vocab))
    texts = texts_of_length(nlp, [doc.text for doc in gold], n_tokens)
    times = latency(nlp, texts, repeat, now)
    parsed = list(nlp.pipe([doc.text for doc in gold], disable=["ucca_parser"]))
    parser: Any = nlp.get_pipe("ucca_parser")
    wanted = [int(length) for length in lengths.split(",")]
    tasks: dict[str, Callable[[], Any]] = {}
    counts: dict[str, int] = {}
    for length in wanted:
        docs = long_sentences(nlp.vocab, parsed, length, size)
        counts[str(length)] = len(docs) * length
        for name, batch in (("batches", nlp.batch_size), ("one by one", 1)):
            tasks[f"{length} {name}"] = _pipe(parser, docs, batch)
    seconds = interleave(tasks, rounds, clock=now)
    per_token = {
        name: {
            str(length): {
                kind: round(1e6 * value / counts[str(length)], 2)
                for kind, value in summary(seconds[f"{length} {name}"]).items()
            }
            for length in wanted
        }
        for name in ("batches", "one by one")
    }
    ratio = {
        name: round(
            max(v["min"] for v in found.values()) / min(v["min"] for v in found.values()), 3
        )
        for name, found in per_token.items()
    }
    result = {
        "sentences": len(texts),
        "tokens_of_sentence": n_tokens,
        "milliseconds": times,
        "tokens_per_length": counts,
        "microseconds_per_token": per_token,
        "longest_to_shortest_time": ratio,
        "cpu_time": cpu_time,
        "repeat": repeat,
        "rounds": rounds,
    }
    lines = [
        f"nlp(text), {len(texts)} sentences of {n_tokens} tokens, ms (median): {times['with']:.2f} with "
        f"ucca_parser, {times['without']:.2f} without: it adds {times['added']:.2f}",
        "",
        f"ucca_parser.pipe, microseconds per token (best of {rounds}):",
        table(
            [
                ["tokens in a sentence", *map(str, wanted), "largest / smallest"],
                *(
                    [
                        name,
                        *(f"{value['min']:.1f}" for value in found.values()),
                        f"{ratio[name]:.2f}",
                    ]
                    for name, found in per_token.items()
                ),
            ],
            "<" + ">" * (len(wanted) + 1),
        ),
    ]
    report(result, "\n".join(lines), json)


def _pipe(parser: Any, docs: list[Doc], batch_size: int) -> Callable[[], None]:
    def run() -> None:
        for _ in parser.pipe(docs, batch_size=batch_size):
            pass

    return run


if __name__ == "__main__":
    typer.run(main)
