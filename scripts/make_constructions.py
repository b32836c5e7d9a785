"""Sentences of constructions that parsers get wrong, with UCCA graphs, made by rule to train on.

    python scripts/make_constructions.py en corpus/constructions.spacy --n 2000 --seed 0 [--without GUIDELINES.txt]

The grammars are `grammars/LANGUAGE.txt`; the graphs follow the guidelines v2.1. In a grammar, a line `name = a b/c`
lists words: `_` is a space, `/` separates forms, `-ed` is an ending of the first form. Under `name:` stands one production
a line, a number is its weight, in the notation of `spacy_ucca/formats/brackets.py` with references:

    {vp}         a production of vp
    {vp.1}       the same with its form 1, of the first at 0; in it, `$` is that form
    {vp#s}       the unit that vp names `h` is called `s` here; other names are not seen outside
    {A:who}      in a unit of its own: [A Maria], [A [F the] [C girl]]
    {A:to who}   the same with a Relator
    {when?}      in three of ten sentences

`*name:` is a construction within a Scene, put into `frame` as `x`; `any` is any of these. `!name:` is one of sentences;
`2*name:` is made twice as often.
"""

import random
import re
import sys
from collections.abc import Iterable, Iterator
from math import prod
from pathlib import Path
from typing import NamedTuple

import spacy
import typer

from spacy_ucca.cli._util import read_text, user_errors
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.rules.validate import validate_graph
from spacy_ucca.tokens.extension import set_guidelines
from spacy_ucca.training.corpus import graph_to_doc, write_docbin

GRAMMARS = Path(__file__).parent / "grammars"
SENTENCES = Path(__file__).parents[1] / "tests" / "data" / "short_sentences.txt"
GUIDELINES = "v2"
OPTIONAL = 0.3
UNSTOPPED = 0.2  # sentences without a full stop, as in titles and examples
HEAD = "h"
REFERENCE = re.compile(r"\{(?:([A-Z|]+):)?(?:(\S+) )?([^\s{}.#?]+)(?:\.([\d$]))?(?:#(\w+))?(\?)?\}")
NAME = re.compile(r"(?<=[#=])[a-z]\w*")
LETTERS = re.compile(r"\w+")
OPENING = ('"', "“", "'")
VOWEL = re.compile(r"(?i)h?[aeiouyàâéèêëîïôœ]")
ELIDED = {
    "la": "l'",
    "le": "l'",
    "de": "d'",
    "que": "qu'",
    "puisque": "puisqu'",
    "je": "j'",
    "ne": "n'",
    "se": "s'",
}


class Grammar(NamedTuple):
    """A grammar of bracketed sentences.

    language (str): Its code.
    productions (Dict[str, List[str]]): By name, each as often as its weight says.
    clauses, sentences (Tuple[str, ...]): The constructions, each as often as its weight says.
    """

    language: str
    productions: dict[str, list[str]]
    clauses: tuple[str, ...]
    sentences: tuple[str, ...]


def read_grammar(language: str) -> Grammar:
    """RETURNS (Grammar): The grammar of a language, given by its code."""
    productions: dict[str, list[str]] = {}
    starred: dict[str, list[str]] = {"*": [], "!": [], "": []}
    name = ""
    for line in (GRAMMARS / f"{language}.txt").read_text("utf8").splitlines():
        if line.startswith("  "):
            weight, text = re.fullmatch(r"  (?:(\d+) )?(.+)", line).groups()
            productions[name] += [text.strip()] * int(weight or 1)
        elif " = " in line:
            name, words = line.split(" = ")
            productions[name] = [w.replace("_", " ") for w in words.split()]
        elif not line.startswith("#"):
            weight, kind, name, text = re.fullmatch(r"(\d*)([*!]?)([^:]+):\s*(.*)", line).groups()
            if name in productions:
                raise ValueError(f"{name} twice")
            starred[kind] += [name] * int(weight or 1)
            productions[name] = [text] if text else []
    productions["any"] = [f"{{{name}}}" for name in starred["*"]]
    return Grammar(language, productions, tuple(starred["*"]), tuple(starred["!"]))


class Writer:
    """Writes random sentences of a grammar.

    grammar (Grammar): The grammar.
    seed (int): The seed.
    """

    def __init__(self, grammar: Grammar, seed: int) -> None:
        self.grammar = grammar
        self.random = random.Random(seed)
        self.construction = ""
        self.n_names = 0

    def write(self, construction: str) -> Graph:
        """RETURNS (Graph): The graph of a new sentence with a construction."""
        self.construction, self.n_names = construction, 0
        start = construction if construction in self.grammar.sentences else "frame"
        text = self._expand(start)
        if self.random.random() < UNSTOPPED:
            text = text.removesuffix("[U .]")
        [graph] = read_brackets(text, source=construction)
        words = fit_words(graph.words, self.grammar.language)
        return graph.replace(words=words)

    def _expand(self, name: str, form: int = 0, head: str | None = None) -> str:
        """RETURNS (str): A production, in brackets without references."""
        name = self.construction if name == "x" else name
        text = self.random.choice(self.grammar.productions[name])
        if "[" not in text and "{" not in text:
            forms = text.split("/")
            chosen = forms[form] if form < len(forms) else forms[1]
            return forms[0] + chosen[1:] if chosen.startswith("-") else chosen
        names = {HEAD: head or self._new_name(HEAD)}
        for found in NAME.findall(text):
            names.setdefault(found, self._new_name(found))
        text = NAME.sub(lambda found: names[found[0]], text.replace("$", str(form)))
        return REFERENCE.sub(self._refer, text)

    def _refer(self, reference: re.Match[str]) -> str:
        category, relator, name, form, head, optional = reference.groups()
        if optional and self.random.random() > OPTIONAL:
            return ""
        inner = self._expand(name, int(form or 0), head)
        if category is None:
            return inner
        is_named = head is None or re.search(rf"#{head}\b", inner)
        label = "" if is_named else f"#{head}"
        if relator and not inner.startswith("["):
            inner, label = f"[C{label} {inner}]", ""
        return f"[{category}{label} {f'[R {relator}] ' if relator else ''}{inner}]"

    def _new_name(self, name: str) -> str:
        self.n_names += 1
        return f"{name}{self.n_names}"


def fit_words(words: tuple[str, ...], language: str) -> list[str]:
    """RETURNS (List[str]): Words as they are written side by side: "an" for "a", "l'" for "la", a capital at the start, and of a quote."""
    fitted = []
    for word, after in zip(words, (*words[1:], ""), strict=True):
        if language == "en" and word == "a" and re.match("[aeio]|u(?!se|ni)|honest", after):
            word = "an"
        if language == "fr" and VOWEL.match(after):
            word = ELIDED.get(word, word)
        fitted.append(word)
    quoted = [i for i, word in enumerate(fitted) if word in OPENING]
    for start in (0, *quoted[:1]):
        first = next(i for i, word in enumerate(fitted) if i >= start and LETTERS.match(word))
        fitted[first] = fitted[first][0].upper() + fitted[first][1:]
    return fitted


def key_of(words: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """RETURNS (Tuple[str, ...]): What two texts have in common that are the same but for case and punctuation."""
    return tuple(word for word in LETTERS.findall(" ".join(words).lower()))


def count_derivations(grammar: Grammar) -> int:
    """RETURNS (int): How many derivations the grammar has: at least the number of its sentences."""
    counts: dict[str, int] = {}

    def count(name: str) -> int:
        if name not in counts:
            counts[name] = sum(map(count_one, set(grammar.productions[name])))
        return counts[name]

    def count_one(text: str) -> int:
        return prod(
            count(name) + bool(optional) for *_, name, _, _, optional in REFERENCE.findall(text)
        )

    counts["x"] = count("any")
    return sum(map(count, {"frame", *grammar.sentences}))


def make_graphs(
    language: str, n: int, seed: int = 0, without: Iterable[tuple[str, ...]] = ()
) -> Iterator[Graph]:
    """Make different sentences, the constructions in turn.

    language (str): The code of the language.
    n (int): How many.
    seed (int): The seed.
    without (Iterable[Tuple[str, ...]]): The words of sentences not to make.
    YIELDS (Graph): The graphs. `details["id"]` begins with the construction.
    RAISES (ValueError): If a graph breaks a rule of UCCA.
    """
    grammar = read_grammar(language)
    writer = Writer(grammar, seed)
    constructions = (*grammar.clauses, *grammar.sentences)
    seen = {key_of(words) for words in without}
    number = 0
    while number < n:
        construction = constructions[number % len(constructions)]
        graph = writer.write(construction)
        key = key_of(graph.words)
        if key in seen:
            continue
        seen.add(key)
        for problem in validate_graph(graph):
            raise ValueError(f"{construction}: {problem.message}: {' '.join(graph.words)}")
        graph.details["id"] = f"{construction}-{number}"
        number += 1
        yield graph


app = typer.Typer(add_completion=False)


@app.command()
@user_errors()
def main(
    language: str = typer.Argument(..., help="The code of a language with a grammar"),
    output: Path = typer.Argument(..., help="The .spacy file", dir_okay=False),
    n: int = typer.Option(2000, min=1, help="How many sentences, each different"),
    seed: int = typer.Option(0, help="The seed"),
    without: list[Path] = typer.Option(
        [],
        help="Texts with bracketed examples, such as the guidelines: none of them is made",
        exists=True,
        dir_okay=False,
    ),
) -> None:
    if language not in (known := sorted(path.stem for path in GRAMMARS.glob("*.txt"))):
        message = f"No grammar of '{language}' in {GRAMMARS}. There is one of {', '.join(known)}."
        raise typer.BadParameter(message, param_hint="LANGUAGE")
    examples = []
    if without:
        sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))
        from bracketed import read_examples

        examples = [e.words for path in without for e in read_examples(read_text(path))]
    own = read_brackets(SENTENCES.read_text("utf8"), source=SENTENCES.name)
    docs = []
    vocab = spacy.blank(language).vocab
    for graph in make_graphs(language, n, seed, [*examples, *(graph.words for graph in own)]):
        docs.append(graph_to_doc(graph, vocab))
        set_guidelines(docs[-1], GUIDELINES)
    write_docbin(docs, output)
    size = f"{count_derivations(read_grammar(language)):.0e}"
    typer.echo(f"{len(docs)} of about {size} sentences, {sum(map(len, docs))} words: {output}")


if __name__ == "__main__":
    app()
