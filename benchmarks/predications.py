"""Score who did what to whom against `predications/gold.jsonl`: ours, a baseline over dependencies, and textacy if it is there.

    python benchmarks/predications.py models/en_ucca_sm
    python benchmarks/predications.py models/en_ucca_sm --constructions
    python benchmarks/predications.py PIPELINE --pud UD_PUD

`--pud` scores a pipeline for any language on `predications/pud.jsonl`: the same sentences in English, German and French, with the
texts of the folder UD_PUD.

Relations, subjects and objects count by their heads: a gold predication has a relation, a subject if it has one, and an object; a
predicted one counts as far as its relation is that of a gold one. Precision, recall and F are of all three together.

Of constructions, only the annotated predications count, with negation, conditions and polarity too.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from enum import Enum
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import srsly
import typer
from spacy.language import Language
from spacy.tokens import Doc, Token

import spacy_ucca
from spacy_ucca.cli._util import table, write_json
from spacy_ucca.extract.words import words_of

GOLD = Path(__file__).parent / "predications" / "gold.jsonl"
CONSTRUCTIONS = GOLD.with_name("constructions.jsonl")
PUD = GOLD.with_name("pud.jsonl")
LANGUAGES = ("en", "de", "fr")
SUBJECTS = {"nsubj", "csubj", "nsubj:outer", "csubj:outer"}
PASSIVE = {"nsubj:pass", "csubj:pass"}
# Universal Dependencies in the labels that textacy reads
CLEAR_NLP = {
    "obj": "dobj",
    "nsubj:pass": "nsubjpass",
    "csubj:pass": "csubjpass",
    "aux:pass": "auxpass",
}


class Part(str, Enum):
    dev = "dev"
    test = "test"
    all = "all"


class Triple(NamedTuple):
    """Tokens that stand for a relation, its subject and its object; no tokens where it has none. With the tokens of each condition."""

    relation: list[Token]
    subject: list[Token]
    object: list[Token]
    negated: bool = False
    conditions: tuple[list[Token], ...] = ()
    polarity: str | None = None


System = Callable[[Doc], list[Triple]]


def ours(doc: Doc, clauses: bool = True) -> list[Triple]:
    """RETURNS (List[Triple]): The predications of clauses, or of all Scenes whose relation has words."""
    from spacy_ucca.extract import predications

    return [
        Triple(
            [p.head],
            *([x.head] if x and x.head else [] for x in (p.subject, p.object)),
            p.is_negated,
            tuple([*c.span] for c in p.conditions),
            getattr(p, "polarity", None),
        )
        for p in predications(doc)
        if p.head is not None and (p.is_clause or not clauses)
    ]


def by_dependencies(doc: Doc) -> list[Triple]:
    """RETURNS (List[Triple]): A verb, or what has a copula or a subject, with its dependents, as in rule-based systems of open
    information extraction: subjects go to conjuncts and open complements, relative clauses have their noun."""
    found = []
    for token in doc:
        kids = [*token.children]
        deps = {kid.dep_ for kid in kids}
        if (
            not (token.pos_ == "VERB" or deps & (SUBJECTS | PASSIVE | {"cop"}))
            or token.dep_ == "amod"
        ):
            continue
        subject = [kid for kid in kids if kid.dep_ in SUBJECTS]
        objects = [kid for kid in kids if kid.dep_ == "obj"]
        if patients := [kid for kid in kids if kid.dep_ in PASSIVE]:
            subject, objects = [kid for kid in kids if kid.dep_ == "obl:agent"], patients
        elif not subject:
            subject = _inherited(token)
        negated = any(kid.lower_ in words_of(doc, "negation") for kid in kids)
        found.append(Triple([token], subject[:1], objects[:1], negated))
    return found


def _inherited(token: Token) -> list[Token]:
    while token.dep_ in ("conj", "xcomp", "advcl") and token.head != token:
        token = token.head
        if found := [kid for kid in token.children if kid.dep_ in SUBJECTS]:
            return found
    return [token.head] if token.dep_ in ("acl:relcl", "acl") else []


def by_textacy(doc: Doc) -> list[Triple]:
    """RETURNS (List[Triple]): What textacy finds, with the labels that it knows."""
    from textacy.extract import subject_verb_object_triples

    deps = [CLEAR_NLP.get(token.dep_, token.dep_) for token in doc]
    other = Doc(
        doc.vocab,
        words=[token.text for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        pos=[token.pos_ for token in doc],
        heads=[token.head.i for token in doc],
        deps=deps,
    )
    return [
        Triple([*t.verb], [*t.subject], [*t.object]) for t in subject_verb_object_triples(other)
    ]


def characters(spans: Iterable[Iterable[int]]) -> set[int]:
    return {i for start, end in spans for i in range(start, end)}


def covered(tokens: Iterable[Token]) -> set[int]:
    """RETURNS (Set[int]): The characters of tokens, so that a token is right where a word is a part of it."""
    return characters((token.idx, token.idx + len(token)) for token in tokens)


def count(gold: list[dict[str, Any]], found: list[Triple], counts: Counter[str]) -> None:
    """Add up what is right, predicted and gold."""
    left = list(found)
    for wanted in gold:
        slots = {
            key: characters(wanted[key]) for key in ("relation", "subject", "object", "optional")
        }
        counts["gold"] += 1 + bool(slots["subject"]) + bool(slots["object"])
        counts["negated"] += wanted["negated"]
        same = next((t for t in left if covered(t.relation) & slots["relation"]), None)
        if same is None:
            counts["relations missed"] += 1
            continue
        left.remove(same)
        counts["right"] += 1
        counts["predicted"] += 1
        counts["negated found"] += wanted["negated"] and same.negated
        counts["negated wrongly"] += same.negated and not wanted["negated"]
        for key, tokens in (("subject", same.subject), ("object", same.object)):
            right = bool(covered(tokens) & slots[key])
            free = (
                key == "object"
                and not right
                and bool(covered(tokens) & (slots["optional"] | slots["relation"]))
            )
            counts["right"] += right
            counts["predicted"] += bool(tokens) and not free
            counts[f"{key}s wrong"] += bool(tokens) and not free and not right
            counts[f"{key}s missed"] += bool(slots[key]) and not right
    counts["predicted"] += sum(1 + bool(t.subject) + bool(t.object) for t in left)
    counts["relations wrong"] += len(left)


def count_construction(
    gold: list[dict[str, Any]], found: list[Triple], counts: Counter[str]
) -> None:
    """Add up what is right, predicted and gold of the annotated predications alone."""
    left = list(found)
    for wanted in gold:
        slots = {
            key: characters(wanted[key]) for key in ("relation", "subject", "object", "optional")
        }
        conditions = [characters(heads) for heads in wanted["conditions"]]
        n_gold = [*map(bool, (slots["subject"], slots["object"])), wanted["negated"]]
        counts["gold"] += 1 + sum(n_gold) + len(conditions) + ("polarity" in wanted)
        same = [t for t in left if covered(t.relation) & slots["relation"]]
        if not same:
            continue
        best = max(same, key=lambda t: bool(covered(t.subject) & slots["subject"]))
        left.remove(best)
        counts["right"] += 1
        counts["predicted"] += 1
        for key, tokens in (("subject", best.subject), ("object", best.object)):
            is_right = bool(covered(tokens) & slots[key])
            counts["right"] += is_right
            is_free = covered(tokens) & (slots["optional"] | slots["relation"])
            counts["predicted"] += bool(tokens) and (is_right or key == "subject" or not is_free)
        counts["right"] += wanted["negated"] and best.negated
        counts["predicted"] += best.negated
        counts["right"] += sum(
            any(covered(c) & heads for c in best.conditions) for heads in conditions
        )
        counts["predicted"] += len(best.conditions)
        if "polarity" in wanted:
            counts["right"] += best.polarity == wanted["polarity"]
            counts["predicted"] += best.polarity is not None


def measure_constructions(
    nlp: Language, *, part: Part = Part.all, show: bool = False
) -> dict[str, dict[str, float]]:
    """RETURNS (Dict[str, Dict[str, float]]): Scores and counts of ours and of the baseline, by construction."""
    figures: dict[str, dict[str, float]] = {}
    counts: dict[str, dict[str, Counter[str]]] = {}
    for sentence in srsly.read_jsonl(CONSTRUCTIONS):
        if part not in (Part.all, sentence["part"]):
            continue
        doc = nlp(sentence["text"])
        systems = {"spacy-ucca": ours(doc, clauses=False), "dependencies": by_dependencies(doc)}
        for name, found in systems.items():
            one: Counter[str] = Counter()
            count_construction(sentence["predications"], found, one)
            for key in (sentence["construction"], "all"):
                counts.setdefault(key, {}).setdefault(name, Counter()).update(one)
            if show and name == "spacy-ucca" and one["right"] < max(one["gold"], one["predicted"]):
                _show(sentence, found, Counter({"slots missed": 1}))
    for key, by_system in counts.items():
        figures[key] = {name: scores(count)["F"] for name, count in by_system.items()}
        figures[key]["slots"] = by_system["spacy-ucca"]["gold"]
    return figures


def scores(counts: Counter[str]) -> dict[str, float]:
    right, n_found, n_gold = (counts[key] for key in ("right", "predicted", "gold"))
    p, r = right / max(n_found, 1), right / max(n_gold, 1)
    return {
        "precision": 100 * p,
        "recall": 100 * r,
        "F": 200 * p * r / max(p + r, 1e-9),
        "negation recall": 100 * counts["negated found"] / max(counts["negated"], 1),
    }


def measure(
    nlp: Language,
    systems: dict[str, System],
    *,
    gold: Path = GOLD,
    part: Part = Part.all,
    show: bool = False,
) -> dict[str, dict[str, float]]:
    """RETURNS (Dict[str, Dict[str, float]]): Scores and counts of each system."""
    return score(nlp, systems, srsly.read_jsonl(gold), part, show)


def measure_pud(
    model: str, folder: Path, systems: dict[str, System], *, part: Part, show: bool
) -> dict[str, dict[str, float]]:
    """RETURNS (Dict[str, Dict[str, float]]): Scores and counts of each system in each language, such as "de spacy-ucca"."""
    figures = {}
    rows = [*srsly.read_jsonl(PUD)]
    for lang in LANGUAGES:
        texts = read_texts(folder / f"{lang}_pud-ud-test.conllu")
        sentences = [{"text": texts[r["id"]], **r} for r in rows if r["lang"] == lang]
        nlp = spacy_ucca.load(model, lang=lang)
        for name, values in score(nlp, systems, sentences, part, show).items():
            figures[f"{lang} {name}"] = values
    return figures


def read_texts(path: Path) -> dict[str, str]:
    """RETURNS (Dict[str, str]): The texts of a treebank by `sent_id`."""
    texts, name = {}, ""
    for line in path.read_text(encoding="utf8").splitlines():
        key, _, value = line.partition(" = ")
        if key == "# sent_id":
            name = value
        elif key == "# text":
            texts[name] = value
    return texts


def score(
    nlp: Language,
    systems: dict[str, System],
    sentences: Iterable[dict[str, Any]],
    part: Part,
    show: bool,
) -> dict[str, dict[str, float]]:
    sentences = [
        sentence
        for i, sentence in enumerate(sentences)
        if part == Part.all or (i % 4 == 0) == (part == Part.dev)
    ]
    docs = list(nlp.pipe(sentence["text"] for sentence in sentences))
    figures: dict[str, dict[str, float]] = {}
    for name, system in systems.items():
        counts: Counter[str] = Counter()
        for sentence, doc in zip(sentences, docs):
            found = system(doc)
            before = Counter(counts)
            count(sentence["predications"], found, counts)
            if show and system is ours:
                _show(sentence, found, counts - before)
        figures[name] = {**scores(counts), **counts}
    return figures


def main(
    model: str = typer.Argument(..., help="Pipeline with tags, dependencies, lemmas and graphs"),
    gold: Path = typer.Option(GOLD, help="The annotated sentences"),
    json: Path = typer.Option(None, "--json", help="Write the figures here"),
    part: Part = typer.Option(
        Part.test, help="`dev` is every fourth sentence, to look at; `test` the others"
    ),
    show: bool = typer.Option(False, help="Print what was missed and what was wrong"),
    constructions: bool = typer.Option(False, help="Score the sentences of constructions instead"),
    pud: Path = typer.Option(
        None, help="Score these sentences of the folder UD_PUD in English, German and French"
    ),
) -> None:
    """Score predications."""
    if constructions:
        by_key = measure_constructions(spacy_ucca.load(model), part=part, show=show)
        names = ["spacy-ucca", "dependencies", "slots"]
        lines = [[key, *(f"{row[name]:.4g}" for name in names)] for key, row in by_key.items()]
        typer.echo(table([["F", *names], *lines], "<>>>"))
        if json:
            write_json(json, by_key)
        return
    systems = {"spacy-ucca": ours, "dependencies": by_dependencies, "textacy": by_textacy}
    if pud or find_spec("textacy") is None:
        del systems["textacy"]
    if pud:
        figures = measure_pud(model, pud, systems, part=part, show=show)
    else:
        if "textacy" not in systems:
            typer.echo("textacy is not installed, so it is left out.", err=True)
        figures = measure(spacy_ucca.load(model), systems, gold=gold, part=part, show=show)
    keys = [*dict.fromkeys(key for values in figures.values() for key in sorted(values))]
    rows = [[key, *(f"{values.get(key, 0):.4g}" for values in figures.values())] for key in keys]
    typer.echo(table([["", *figures], *rows], "<" + ">" * len(figures)))
    if json:
        write_json(json, figures)


def _show(sentence: dict[str, Any], found: list[Triple], counts: Counter[str]) -> None:
    if not any(" " in key and key != "negated found" for key in counts):
        return
    text = sentence["text"]
    typer.echo(f"{sentence['id']}  {text}")
    for p in sentence["predications"]:
        words = [
            "|".join(text[a:b] for a, b in p[k])
            for k in ("relation", "subject", "object", "optional")
        ]
        words += ["|".join(text[a:b] for a, b in heads) for heads in p.get("conditions", ())]
        typer.echo("    gold   " + "; ".join(words) + (" NOT" if p["negated"] else ""))
    for t in found:
        words = ["|".join(x.text for x in tokens) for tokens in t[:3]]
        typer.echo("    found  " + "; ".join(words) + (" NOT" if t.negated else ""))


if __name__ == "__main__":
    typer.run(main)
