"""Is the graph of a sentence the same in every language? Graphs of English sentences beside those of their translations.

    python benchmarks/languages.py models/xx_ucca_trf UD_PUD [--english models/en_ucca_sm] [--gold en.spacy --gold fr.spacy]

UD_PUD is a folder of parallel treebanks, such as en_pud-ud-test.conllu. Tokens are gold. The last 200 sentences count: no shipped
pipeline learned from them. Words are aligned if they are most similar to each other (Jalili Sabet et al., 2020), by vectors of the
encoder's layer below the last, less the mean of the language.

A Scene is "kept" if a word of its main relation is aligned to one of a Scene's main relation; "back" is the same for Scenes of the
translation. "P/S" and "place" are the shares of kept Scenes with the same category of main relation, and the same role. Units are
compared by their aligned words: those of two or more, but not of all. "unlabeled" is F1 of units of the same words, "labeled" of
those that also share a category. "UD" is F1 of subtrees of the gold trees: it shows what alignment and translation cost.

Controls are shuffled alignments; the translation of another sentence of about the same length; right-branching trees with one
category; flat graphs, in which each word is a unit. `--english` compares graphs of another pipeline for the English sentences.
`--gold` compares gold graphs of texts that translate each other, and graphs of the pipeline for the same sentences.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy
import typer
from errors import Words, units
from measuring import JSON, table
from scheme import read_treebank
from spacy.language import Language
from spacy.tokens import Doc

from spacy_ucca.cli._pipelines import load_pipeline
from spacy_ucca.cli._util import user_errors, write_json
from spacy_ucca.graph import Graph
from spacy_ucca.graph.categories import CATEGORY_NAMES
from spacy_ucca.training.corpus import bare_copy, read_docbin

N_SENTENCES = 200
SOURCE = "en"
KINDS = ("process", "state", "parallel", "participant", "elaborator", "other")  # of Scenes
MIN_SIMILARITY = 0.5  # of the mean vectors of sentences in `--gold`
SHARES = ("aligned", "kept", "back", "P/S", "place", "unlabeled", "labeled")
HEAD = ["", "n", "words", "Scenes", *SHARES, "UD", "UD labeled"]
Units = dict[Words, set[str]]
Pairs = list[tuple[int, int]]
Figures = dict[str, float]


class Sentence(NamedTuple):
    """What is compared of a sentence. Words are no punctuation, vectors have length 1."""

    words: list[int]
    vectors: numpy.ndarray
    units: Units
    scenes: list[tuple[Words, str, str]]  # the main relation, its category, the Scene's role


def word_numbers(doc: Doc) -> list[int]:
    return [token.i for token in doc if not token.is_punct]


def unit_length(X: numpy.ndarray) -> numpy.ndarray:
    return X / numpy.maximum(numpy.linalg.norm(X, axis=-1, keepdims=True), 1e-9)


def word_vectors(nlp: Language, docs: Sequence[Doc]) -> list[numpy.ndarray]:
    """RETURNS (List[Floats2d]): The vectors of the words of each Doc that are no punctuation.
    RAISES (BadParameter): If the pipeline has no encoder."""
    models = (pipe.model for _, pipe in nlp.pipeline if hasattr(pipe, "model"))
    encoders = [node for model in models for node in model.walk() if node.name == "ucca_encoder"]
    if not encoders:
        raise typer.BadParameter("The pipeline has no `ucca_encoder` to align words by.")
    encoders[0].attrs["n_layers"] -= 1  # the last one says less about words
    found = [X for i in range(0, len(docs), 64) for X in encoders[0].predict(docs[i : i + 64])]
    encoders[0].attrs["n_layers"] += 1
    kept = [X[word_numbers(doc)] for X, doc in zip(found, docs)]
    mean = numpy.concatenate(kept).mean(axis=0)
    return [unit_length(X - mean) for X in kept]


def most_similar(a: numpy.ndarray, b: numpy.ndarray) -> Pairs:
    """RETURNS (List[Tuple[int, int]]): Rows of two matrices that are each other's most similar."""
    if not len(a) or not len(b):
        return []
    similar = a @ b.T
    best, back = similar.argmax(axis=1), similar.argmax(axis=0)
    return [(i, int(j)) for i, j in enumerate(best) if back[j] == i]


def sentence(doc: Doc, vectors: numpy.ndarray, graph: Graph) -> Sentence:
    found = []
    for scene in graph.scenes:
        relation: Any = scene.main_relation
        if words := frozenset(relation.tokens(punct=False)):
            place = str(scene.scene_kind).replace("root", "parallel")
            category = "process" if relation in scene.processes else "state"
            found.append((words, category, place if place in KINDS else "other"))
    return Sentence(word_numbers(doc), vectors, units(graph), found)


def parse(nlp: Language, docs: Sequence[Doc], vectors: Iterable[numpy.ndarray]) -> list[Sentence]:
    parsed = nlp.pipe([bare_copy(doc, False, nlp.vocab) for doc in docs])
    return [sentence(doc, X, p._.ucca) for doc, X, p in zip(docs, vectors, parsed)]


def in_tree(s: Sentence, tree: Doc) -> Sentence:
    """RETURNS (Sentence): With the subtrees of a dependency tree and their relations in place of units."""
    found: Units = {}
    for token in tree:
        words = frozenset(t.i for t in token.subtree if not t.is_punct)
        found.setdefault(words, set()).add(token.dep_.partition(":")[0])
    return s._replace(units=found, scenes=[])


def restrict(found: Units, aligned: Iterable[int]) -> Units:
    """RETURNS (Dict[FrozenSet[int], Set[str]]): Units by the numbers of their aligned words: of two or more, but not of all."""
    number = {word: n for n, word in enumerate(aligned)}
    restricted: Units = {}
    for words, categories in found.items():
        numbers = frozenset(number[i] for i in words if i in number)
        if 1 < len(numbers) < len(number):
            restricted.setdefault(numbers, set()).update(categories)
    return restricted


def count(a: Sentence, b: Sentence, pairs: Pairs) -> Counter[str]:
    """RETURNS (Counter[str]): Units and Scenes of the first side, those found on the other side, and those of the same kind there;
    in all, and by category of units and kind of Scenes."""
    left, right = restrict(a.units, [i for i, _ in pairs]), restrict(b.units, [j for _, j in pairs])
    counts = Counter[str]({"units": len(left) + len(right), "Scenes": len(a.scenes)})
    for words, categories in left.items():
        others = right.get(words, set())
        counts["unlabeled"] += 2 * bool(others)
        counts["labeled"] += 2 * bool(categories & others)
        for c in categories:
            counts.update([c] + [f"{c} found"] * bool(others) + [f"{c} same"] * (c in others))
    image = dict(pairs)
    for relation, *kinds in a.scenes:
        words = frozenset(image[i] for i in relation if i in image)
        best: Any = max(b.scenes, key=lambda scene: len(words & scene[0]), default=[words])
        kept = bool(b.scenes and words & best[0])
        counts["kept"] += kept
        for name, kind in zip(("P/S", "place"), kinds):
            same = kept and kind in best
            counts.update([kind] + [f"{kind} found"] * kept + [name, f"{kind} same"] * same)
    return counts


def compare(a: list[Sentence], b: list[Sentence], total: Counter[str] | None = None) -> Figures:
    """RETURNS (Dict[str, float]): How graphs of sentences compare with those of translations. Counts by kind are added to `total`."""
    counts, back = Counter[str](), Counter[str]()
    for x, y in zip(a, b, strict=True):
        pairs = [(x.words[i], y.words[j]) for i, j in most_similar(x.vectors, y.vectors)]
        counts += count(x, y, pairs) + Counter({"aligned": len(pairs), "all words": len(x.words)})
        back += count(y, x, [(j, i) for i, j in pairs]) + Counter({"words": len(y.words)})
    if total is not None:
        total.update(counts)
    of = {"aligned": "all words", "kept": "Scenes", "P/S": "kept", "place": "kept"}
    shares = {key: counts[key] / max(counts[of.get(key, "units")], 1) for key in SHARES}
    shares["back"] = back["kept"] / max(back["Scenes"], 1)
    means = {key: back[key] / max(len(a), 1) for key in ("words", "Scenes")}
    return {"n": len(a), **{key: round(x, 4) for key, x in {**means, **shares}.items()}}


def controls(a: list[Sentence], b: list[Sentence]) -> Iterator[tuple[str, Figures]]:
    """YIELDS (Tuple[str, Dict[str, float]]): The name and the figures of each control."""
    rng = random.Random(0)
    yield "shuffled", compare(a, [s._replace(words=rng.sample(s.words, len(s.words))) for s in b])
    order = sorted(range(len(a)), key=lambda i: len(a[i].words))
    yield "another sentence", compare([a[i] for i in order], [b[i] for i in order[1:] + order[:1]])
    for name, width in (("right-branching", None), ("flat", 1)):
        yield name, compare([made_up(s, width) for s in a], [made_up(s, width) for s in b])


def made_up(s: Sentence, width: int | None) -> Sentence:
    found = {frozenset(s.words[i:][:width]): {"A"} for i in range(len(s.words))}
    return s._replace(units=found, scenes=[])


def compare_gold(nlp: Language, paths: Sequence[Path]) -> Iterator[tuple[str, Figures]]:
    """YIELDS (Tuple[str, Dict[str, float]]): For each two files, the figures of their gold graphs, and of those of the pipeline. Sentences
    are translations if their mean vectors are each other's most similar."""
    sides, means = {}, {}
    for path in paths:
        docs = [doc for doc in read_docbin(path, nlp.vocab) if word_numbers(doc)]
        vectors = word_vectors(nlp, docs)
        means[path.stem] = unit_length(numpy.array([X.sum(axis=0) for X in vectors]))
        annotated = [sentence(doc, X, doc._.ucca) for doc, X in zip(docs, vectors)]
        sides[path.stem] = annotated, parse(nlp, docs, vectors)
    for one, two in combinations(sides, 2):
        a, b = means[one], means[two]
        pairs = [(i, j) for i, j in most_similar(a, b) if a[i] @ b[j] > MIN_SIMILARITY]
        for kind, x, y in zip(("gold", "parsed"), sides[one], sides[two]):
            yield (
                f"{one}-{two}, {kind}",
                compare([x[i] for i, _ in pairs], [y[j] for _, j in pairs]),
            )


def mean_of(rows: list[Figures]) -> Figures:
    return {k: round(sum(x[k] for x in rows) / len(rows), 4) for k in rows[0]}


def row(name: str, found: Figures, trees: Figures | None = None) -> list[str]:
    shares = [found[key] for key in SHARES] + [trees[key] for key in SHARES[-2:] if trees]
    cells = [f"{100 * share:.0f}" for share in shares] + [""] * (2 * (trees is None))
    return [name, f"{found['n']:.0f}", f"{found['words']:.1f}", f"{found['Scenes']:.2f}", *cells]


def by_kind(head: str, names: Iterable[str], counts: Counter[str]) -> str:
    """RETURNS (str): What is found on the other side, and of the same kind there, as a table."""
    rows = [[head, "n", "found", "same kind"]]
    for k in sorted((k for k in names if counts[k]), key=lambda k: -counts[k]):
        shares = [100 * counts[f"{k} {x}"] / counts[k] for x in ("found", "same")]
        rows.append([k, f"{counts[k]}", *(f"{share:.0f}" for share in shares)])
    return table(rows, "<>>>")


def main(
    model: str = typer.Argument(..., help="A pipeline of several languages, with an encoder"),
    treebanks: Path = typer.Argument(..., help="The folder of parallel treebanks", exists=True),
    english: str = typer.Option(None, help="Another pipeline, for the English sentences"),
    first: bool = typer.Option(False, "--first", help="Take the first sentences, not the last"),
    gold: list[Path] = typer.Option([], help="A .spacy file with gold graphs", exists=True),
    json: Path = JSON,
) -> None:
    chosen, total = slice(N_SENTENCES) if first else slice(-N_SENTENCES, None), Counter[str]()
    with user_errors():
        nlp = load_pipeline(model)
        files = {path.name.partition("_")[0]: path for path in sorted(treebanks.glob("*.conllu"))}
        if SOURCE not in files or len(files) == 1:
            raise typer.BadParameter(f"{treebanks} lacks a treebank of '{SOURCE}' or translations.")
        trees = {k: [*read_treebank(path, nlp.vocab).values()][chosen] for k, path in files.items()}
        parsed = {k: parse(nlp, docs, word_vectors(nlp, docs)) for k, docs in trees.items()}
        ud = {k: [in_tree(*pair) for pair in zip(parsed[k], docs)] for k, docs in trees.items()}
        source = parsed.pop(SOURCE)
        found = {k: compare(source, side, total) for k, side in parsed.items()}
        in_trees = {k: compare(ud[SOURCE], ud[k]) for k in parsed}
        checks = [dict(controls(source, side)) for side in parsed.values()]
        same = {SOURCE: compare(source, source)}
        if english:
            side = parse(load_pipeline(english), trees[SOURCE], [s.vectors for s in source])
            same[f"{SOURCE}, {Path(english).name}"] = compare(source, side)
        books = dict(compare_gold(nlp, gold))
    ordered = dict(sorted(found.items(), key=lambda item: -item[1]["labeled"]))
    in_trees["mean"] = mean_of([*in_trees.values()])
    means = {"mean": mean_of([*found.values()])}
    means |= {name: mean_of([x[name] for x in checks]) for name in checks[0]}
    sections = {"English": same, "languages": ordered, "means": means, "gold": books}
    rows = [row(k, x, in_trees.get(k)) for part in sections.values() for k, x in part.items()]
    tables = [table([HEAD, *rows], "<" + ">" * (len(HEAD) - 1))]
    tables += [by_kind("Scenes", KINDS, total), by_kind("units", CATEGORY_NAMES, total)]
    typer.echo("\n\n".join(tables))
    write_json(json, {**sections, "UD": in_trees})


if __name__ == "__main__":
    typer.run(main)
