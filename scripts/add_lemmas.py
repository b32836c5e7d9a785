"""Add lemmas to a trained pipeline: spaCy's `lemmatizer`, by rules and exceptions learned from treebanks and dictionaries.

    python scripts/add_lemmas.py PIPELINE DEV SOURCE [SOURCE ...]

PIPELINE, which sets `token.pos_`, is changed: its `lemmatizer` is replaced, or put after the last component that tags. Its score
on DEV, a .spacy file or a directory of these, goes into its meta.json. A SOURCE is a treebank or a dictionary that
scripts/read_lemmas.py reads. Of several that know a word, the first tells its lemma.
"""

import shutil
import sys
from collections import Counter, defaultdict
from pathlib import Path

import srsly
from read_lemmas import read_lemmas
from spacy.language import Language
from spacy.lookups import Lookups
from spacy.tokens import Doc
from spacy.training import Corpus
from spacy.vocab import Vocab

from spacy_ucca.cli._pipelines import load_pipeline
from spacy_ucca.errors import Errors, UccaError
from spacy_ucca.training.corpus import find_docbins, read_docs

MODE = {"mode": "rule"}
TABLES = ("lemma_rules", "lemma_exc", "lemma_index", "lemma_lookup", "lemma_rules_groups")
PROBE = {f"{stem}ed": stem for stem in ("ask", "call", "end", "land", "pick")}
OPEN = ("verb", "noun", "adj", "adv")
# spaCy tries the rules one by one on each new word, and keeps the result.
MAX_RULES, MIN_GAIN, MAX_ENDING = 400, 3, 6
# Of words that have no rules. Longer ones are rare.
MAX_LENGTH = 11
SOURCES = "Give treebanks and dictionaries that scripts/read_lemmas.py reads."


def add_lemmas(pipeline: Path, dev: Path, *sources: Path) -> float | None:
    """Add a lemmatizer, as the module says.

    pipeline (Path): The pipeline, which is changed.
    dev (Path): A .spacy file, or a directory of these.
    *sources (Path): Treebanks and dictionaries.
    RETURNS (Optional[float]): The share of lemmas in `dev` that are right; None if it has no lemmas.
    RAISES (UccaError): If something is missing. The pipeline stays as it is then.
    """
    lemmas: dict[str, dict[str, str]] = defaultdict(dict)
    for source in sources:
        try:
            for pos, form, lemma in read_lemmas(source):
                lemmas[pos].setdefault(form, lemma)
        except Exception as err:  # zlib, msgpack and JSON each have their own
            raise UccaError(f"{source} is no source of lemmas ({err}). {SOURCES}") from None
    if not lemmas:
        raise UccaError(f"{', '.join(map(str, sources))}: no lemmas. {SOURCES}")
    # Not by the vocabulary of the pipeline, which is saved
    tokens = [t for path in find_docbins(dev) for doc in read_docs(path, Vocab()) for t in doc]
    if not tokens:
        raise UccaError(Errors.UC216.format(path=dev))
    nlp = load_pipeline(str(pipeline.absolute()))
    tagging = [name for name in nlp.pipe_names if name in ("tagger", "morphologizer")]
    if not tagging:
        raise UccaError(f"{pipeline}: no `tagger` or `morphologizer`. Lemmas need one: train it.")
    if "lemmatizer" in nlp.pipe_names:
        nlp.remove_pipe("lemmatizer")
    nlp.add_pipe("lemmatizer", after=tagging[-1], config=MODE).initialize(
        lookups=make_lookups(lemmas, rules=applies_rules(nlp))
    )
    nlp.meta.get("performance", {}).pop("lemma_acc", None)
    shutil.rmtree(pipeline / "lemmatizer", ignore_errors=True)
    nlp.to_disk(pipeline)  # without the words of `dev`
    if not any(token.lemma_ for token in tokens):
        return None
    later = nlp.pipe_names[nlp.pipe_names.index("lemmatizer") + 1 :]
    with nlp.select_pipes(disable=later):
        score = nlp.evaluate(list(Corpus(dev)(nlp)))["lemma_acc"]
    meta = srsly.read_json(pipeline / "meta.json")
    meta.setdefault("performance", {})["lemma_acc"] = score
    srsly.write_json(pipeline / "meta.json", meta)
    return score


def applies_rules(nlp: Language) -> bool:
    """RETURNS (bool): Whether spaCy's lemmatizer of a language applies rules as that of English does. Those of Spanish and
    Macedonian choose among rules by features, or know endings of their own."""
    lemmatizer = nlp.create_pipe("lemmatizer", config=MODE)
    lemmatizer.initialize(lookups=make_lookups({"verb": PROBE}, rules=True))
    return lemmatizer(Doc(nlp.vocab, ["played"], pos=["VERB"]))[0].lemma_ == "play"


def make_lookups(lemmas: dict[str, dict[str, str]], *, rules: bool) -> Lookups:
    """Make the tables of a lemmatizer.

    lemmas (Dict[str, Dict[str, str]]): Lemmas of forms in lower case, by part of speech in lower case.
    rules (bool): Whether to learn rules. Otherwise each form is an exception.
    RETURNS (Lookups): The tables, those that no rule fills too.
    """
    lookups = Lookups()
    for name in TABLES:
        lookups.add_table(name)
    for pos, forms in lemmas.items():
        if rules:
            found, exceptions = make_tables(pos, forms)
        else:
            found, exceptions = [], {form: [lemma] for form, lemma in forms.items()}
        lookups.get_table("lemma_rules")[pos] = found
        lookups.get_table("lemma_exc")[pos] = exceptions
    return lookups


def make_tables(pos: str, lemmas: dict[str, str]) -> tuple[list[list[str]], dict[str, list[str]]]:
    """RETURNS (Tuple[List[List[str]], Dict[str, List[str]]]): Rules (ending, what is put in its place), and exceptions to them."""
    if sum(lemma[:1].isupper() for lemma in lemmas.values()) > len(lemmas) / 2:
        # A rule makes lower case of all. Without one, a word stays as it is.
        return [], {
            form: [lemma]
            for form, lemma in lemmas.items()
            if lemma.lower() != form and len(form) <= MAX_LENGTH
        }
    rules = learn_rules(lemmas) if pos in OPEN else [["", ""]]
    return rules, {f: [lemma] for f, lemma in lemmas.items() if apply_rules(rules, f) != lemma}


def learn_rules(lemmas: dict[str, str]) -> list[list[str]]:
    """RETURNS (List[List[str]]): Rules, those for longer endings first."""
    edits: dict[str, Counter[tuple[int, str]]] = defaultdict(Counter)
    for form, lemma in lemmas.items():
        shared = next((i for i, (a, b) in enumerate(zip(form, lemma)) if a != b), len(lemma))
        shared = min(shared, len(form))
        if form.isalpha():
            for start in range(max(0, len(form) - MAX_ENDING), shared + 1):
                edits[form[start:]][len(form) - shared, lemma[shared:]] += 1
    gain, found = MIN_GAIN, {}
    while not found or len(found) > MAX_RULES:
        found = {"": (0, "")}
        for ending in sorted(edits, key=len):
            shorter = (ending[i:] for i in range(1, len(ending) + 1))
            known = next((found[end] for end in shorter if end in found), None)
            best, count = edits[ending].most_common(1)[0]
            if ending and count - edits[ending][known or (0, "")] >= gain:
                found[ending] = best
        gain *= 2
    return [
        [ending, ending[: len(ending) - found[ending][0]] + found[ending][1]]
        for ending in sorted(found, key=len, reverse=True)
    ]


def apply_rules(rules: list[list[str]], form: str) -> str:
    """RETURNS (str): The lemma of a form by the first rule that fits, as spaCy applies them."""
    found = (form[: len(form) - len(old)] + new for old, new in rules if form.endswith(old))
    return next(filter(None, found), form)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    try:
        score = add_lemmas(*map(Path, sys.argv[1:]))
    except (UccaError, OSError) as err:
        sys.exit(f"Error: {err}")
    missing = f"No score: {sys.argv[2]} has no lemmas."
    print(missing if score is None else f"{score:.4f} of the lemmas are right.")
