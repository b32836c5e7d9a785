"""Which guidelines the graphs of a pipeline follow, construction by construction: 1.x (v1) or 2.0 (v2).

    python benchmarks/scheme.py models/en_ucca_sm UD_English-EWT/en_ewt-ud-train.conllu [--guidelines v2]
        [--beam-width 4] [--limit 2000] [--gold corpus/en/train/ewt.spacy] [--json FILE]

The sentences come from four genres of the treebank in turn, in file order; each has 3 to 60 tokens. Tokens and sentence
boundaries are gold. The pipeline predicts tags, dependencies and graphs. Constructions are found in the dependencies of the
treebank. `--gold` adds the same counts for gold graphs: constructions are found in the treebank if it has the sentence, and
otherwise in the tags and dependencies of the file. "v1 %" is the share of instances whose label only v1 uses.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import typer
from measuring import JSON, report, table
from scheme_labels import CONSTRUCTIONS, instances
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_ucca.cli._pipelines import load_pipeline, set_guidelines
from spacy_ucca.cli._util import user_errors
from spacy_ucca.errors import Errors, FormatError
from spacy_ucca.formats.conllu import UdSentence, read_ud_sentences
from spacy_ucca.graph import Graph
from spacy_ucca.training.corpus import read_docbin
from spacy_ucca.training.pipelines import set_beam_width, trained_parsers

GENRES = ("weblog", "newsgroup", "email", "answers")
SHORTEST, LONGEST = 3, 60
TELLING = ("article", "time expression", "auxiliary")  # shown by genre
SHOWN = 6  # labels of each construction


def read_treebank(path: Path, vocab: Vocab) -> dict[str, Doc]:
    """RETURNS (Dict[str, Doc]): The sentences of a CoNLL-U file with tags and dependencies, by their ids."""
    sentences = read_ud_sentences(path)
    trees: dict[str, Doc] = {}
    rows: list[list[str]] = []
    for line in [*path.read_text("utf8").splitlines(), ""]:
        columns = line.split("\t")
        if columns[0].isdigit():
            rows.append(columns)
        elif not line.strip() and rows:
            sentence = sentences[len(trees)]
            where = f"{path}, sentence {sentence.sent_id or len(trees) + 1}"
            trees[sentence.sent_id or str(len(trees))] = make_tree(vocab, sentence, rows, where)
            rows = []
    return trees


def make_tree(vocab: Vocab, sentence: UdSentence, rows: list[list[str]], where: str) -> Doc:
    """RETURNS (Doc): A sentence with the tags and dependencies of its rows.
    RAISES (FormatError): If a word has no head in the sentence."""
    if not all(row[6].isdecimal() and int(row[6]) <= len(rows) for row in rows):
        reason = "a word has no head in the sentence"
        raise FormatError(Errors.UC121.format(where=where, reason=reason))
    return Doc(
        vocab,
        words=list(sentence.words),
        spaces=list(sentence.spaces),
        tags=[row[4] for row in rows],
        heads=[int(row[6]) - 1 if row[6] != "0" else i for i, row in enumerate(rows)],
        deps=[row[7] if row[6] != "0" else "ROOT" for row in rows],
    )


def genre_of(sent_id: str) -> str:
    return sent_id.partition("-")[0]


def select(trees: dict[str, Doc], limit: int) -> list[str]:
    """RETURNS (List[str]): Ids of sentences of the four genres, in turn, in the order of the treebank."""
    by_genre: dict[str, list[str]] = {genre: [] for genre in GENRES}
    for sent_id, tree in trees.items():
        genre = genre_of(sent_id)
        if genre in by_genre and SHORTEST <= len(tree) <= LONGEST:
            by_genre[genre].append(sent_id)
    in_turn = [i for group in zip_longest(*by_genre.values()) for i in group if i is not None]
    return in_turn[:limit]


def count(pairs: Iterable[tuple[Doc, Graph]]) -> dict[str, Any]:
    """Count the labels of constructions.

    pairs (Iterable[Tuple[Doc, Graph]]): Sentences with tags and dependencies, and their graphs.
    RETURNS (Dict[str, Any]): For each construction its labels and the shares of either scheme; sentences with several
        articles, and those with articles of both schemes; Scenes, T and Q; all labels of edges.
    """
    labels: dict[str, Counter[str]] = {name: Counter() for name in CONSTRUCTIONS}
    totals: Counter[str] = Counter()
    edges: Counter[str] = Counter()
    for syntax, graph in pairs:
        found = list(instances(syntax, graph))
        for name, label in found:
            labels[name][label] += 1
        articles = [label for name, label in found if name == "article"]
        totals["sentences"] += 1
        totals["several articles"] += len(articles) > 1
        totals["mixed articles"] += {"E", "F"} <= set(articles)
        totals["scenes"] += len(graph.scenes)
        for edge in graph.edges:
            if not edge.is_linkage:
                edges[edge.label] += 1
            if not edge.remote:
                totals.update({"T", "Q"}.intersection(edge.categories))
    return {
        **totals,
        "constructions": {name: shares(name, found) for name, found in labels.items()},
        "edge labels": dict(edges.most_common()),
    }


def shares(name: str, labels: Counter[str]) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): How many of the instances of a construction have labels that only one scheme has."""
    construction, n = CONSTRUCTIONS[name], labels.total()
    marked = {"v1": construction.v1, "v2": construction.v2}
    of_scheme = {
        scheme: sum(labels[label] for label in known) / n if n and known else None
        for scheme, known in marked.items()
    }
    return {"n": n, **of_scheme, "labels": dict(labels.most_common())}


def format_counts(name: str, counts: dict[str, Any]) -> str:
    """RETURNS (str): Counts as a table under their name."""
    rows = [["construction", "n", "v1 %", "v2 %", "labels in %"]]
    for construction, found in counts["constructions"].items():
        top = list(found["labels"].items())[:SHOWN]
        labels = ", ".join(f"{label} {100 * n / found['n']:.1f}" for label, n in top)
        scheme = [percent(found[name]) for name in ("v1", "v2")]
        rows.append([construction, str(found["n"]), *scheme, labels])
    n = counts.get("sentences", 0)
    facts = (
        f"{n} sentences, {counts.get('scenes', 0) / max(n, 1):.2f} Scenes each; T {counts.get('T', 0)}, "
        f"Q {counts.get('Q', 0)}; articles both E and F in {counts.get('mixed articles', 0)} of "
        f"{counts.get('several articles', 0)} sentences with two or more"
    )
    return f"{name}: {facts}\n{table(rows, '<>>><')}"


def format_genres(genres: dict[str, dict[str, Any]]) -> str:
    """RETURNS (str): The constructions that tell most about the scheme, by genre, as a table."""
    rows = [["", "sentences", *(f"{name}: v1 %, v2 %" for name in TELLING), "mixed"]]
    for genre, counts in genres.items():
        found = [counts["constructions"][name] for name in TELLING]
        cells = [f"{percent(c['v1'])}, {percent(c['v2'])}" for c in found]
        mixed = f"{counts.get('mixed articles', 0)} of {counts.get('several articles', 0)}"
        rows.append([genre, str(counts.get("sentences", 0)), *cells, mixed])
    return table(rows, "<" + ">" * (len(TELLING) + 2))


def format_unknown(name: str, known: dict[str, int], labels: dict[str, int]) -> str:
    """RETURNS (str): The labels of edges that a gold file does not have."""
    unknown = ", ".join(f"{label} {n}" for label, n in labels.items() if label not in known)
    return f"Edge labels of the pipeline that {name} does not have: {unknown or 'none'}."


def percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def gold_pairs(path: Path, trees: dict[str, Doc]) -> Iterator[tuple[Doc, Graph]]:
    """YIELDS (Tuple[Doc, Graph]): The sentences of a .spacy file with their gold graphs."""
    by_words = {tuple(t.text for t in tree): tree for tree in trees.values()}
    for doc in read_docbin(path, Vocab()):
        yield by_words.get(tuple(t.text for t in doc), doc), doc._.ucca


def parsed_pairs(nlp: Any, trees: list[Doc]) -> Iterator[tuple[Doc, Graph]]:
    """YIELDS (Tuple[Doc, Graph]): The sentences with the graphs of a pipeline."""
    docs = (
        Doc(
            nlp.vocab,
            words=[t.text for t in tree],
            spaces=[bool(t.whitespace_) for t in tree],
            sent_starts=[i == 0 for i in range(len(tree))],
        )
        for tree in trees
    )
    for tree, doc in zip(trees, nlp.pipe(docs)):
        yield tree, doc._.ucca


def main(
    pipeline: str = typer.Argument(..., help="The pipeline"),
    treebank: Path = typer.Argument(..., help="A CoNLL-U file of UD English EWT", exists=True),
    guidelines: str = typer.Option(None, help="Guidelines to follow; as the pipeline has it"),
    beam_width: int = typer.Option(None, min=1, help="Beam width; as the pipeline has it"),
    limit: int = typer.Option(2000, min=1, help="Number of sentences"),
    gold: list[Path] = typer.Option([], help="A .spacy file with gold graphs", exists=True),
    json: Path = JSON,
) -> None:
    with user_errors():
        trees = read_treebank(treebank, Vocab())
        chosen = select(trees, limit)
        if not chosen:
            raise typer.BadParameter(f"{treebank} has no sentences of {', '.join(GENRES)}.")
        nlp = load_pipeline(pipeline)
        if not trained_parsers(nlp):
            raise typer.BadParameter(f"{pipeline} has no trained UCCA parser.")
        set_beam_width(nlp, beam_width)
        set_guidelines(nlp, guidelines)
        pairs = list(parsed_pairs(nlp, [trees[i] for i in chosen]))
        sources = {"pipeline": count(pairs)}
        genres = {
            genre: count(pair for i, pair in zip(chosen, pairs) if genre_of(i) == genre)
            for genre in GENRES
        }
        for path in gold:
            sources[f"gold {path.stem}"] = count(gold_pairs(path, trees))
    text = "\n\n".join(format_counts(name, counts) for name, counts in sources.items())
    text += "\n\n" + format_genres(genres)
    parsed = sources["pipeline"]["edge labels"]
    for path in gold:
        name = f"gold {path.stem}"
        text += "\n\n" + format_unknown(name, sources[name]["edge labels"], parsed)
    settings = {"pipeline": pipeline, "guidelines": guidelines, "beam_width": beam_width}
    report({"settings": settings, "counts": sources, "genres": genres}, text, json)


if __name__ == "__main__":
    typer.run(main)
