"""Convert a treebank for `spacy train`: what `spacy convert -n 5` does, of some of the sentences.

    python scripts/convert_treebank.py LIMIT TREEBANK.conllu DIRECTORY [-T] [-U]

TREEBANK.conllu may be a directory with several, and may be in a folder of its directory. LIMIT is the number of sentences of each,
from the end if negative, 0 for all. -T merges the words of multiword tokens: DIRECTORY gets NAME-merged.spacy. The lemma is that of
the first ("du": "de"), as in spaCy's pipelines. -U makes treebanks more alike: it leaves out features and subtypes of relations
that are of few languages, takes the universal tags for all tags, adds `VerbForm` where the other tags of Parallel UD tell it, and
`acl:relcl` where the pronoun does.
"""

import re
import sys
from pathlib import Path

from spacy.tokens import DocBin
from spacy.training.converters import conllu_to_docs

FORMAT = "Give a CoNLL-U file of Universal Dependencies."
MEND = "Mend the sentence, or leave it out."
# What `spacy_ucca.extract` looks at, and what most treebanks have
FEATURES = set(
    "Case Definite Degree Mood Number Person Polarity Poss PronType Reflex Tense VerbForm Voice".split()
)
UNDERSCORES = ("PUNCT", "SYM", "X")  # that a word "_" can be; others are withheld
# Of a word that is not "_" itself: it is unknown, which spaCy writes as "".
LEMMA = re.compile(r"(?m)^(\d+\t(?!_\t)[^\t\n]+\t)_(?=\t)")
SUBTYPES = set(
    "nsubj:pass csubj:pass aux:pass acl:relcl compound:prt obl:agent nmod:poss det:poss cc:preconj nsubj:outer csubj:outer".split()
)
# Of verbs in Parallel UD. "VB" is the infinitive, where no "VINF" is, and in Turkish any verb.
VERB_FORMS = {"VBC": "Fin", "VBN": "Part", "VBG": "Ger", "VB": "Inf"}


def convert(limit: int, treebank: Path, directory: Path, merge: bool, universal: bool) -> Path:
    """Write five sentences to a Doc.

    limit (int): Number of sentences, from the end if negative, 0 for all.
    treebank (Path): The CoNLL-U file.
    directory (Path): Where the .spacy file of the same name goes.
    merge (bool): Whether to merge the words of multiword tokens.
    universal (bool): Whether to leave out what few languages have.
    RETURNS (Path): The file.
    """
    try:
        blocks = [b for b in re.split(r"\n\s*\n", treebank.read_text("utf-8-sig")) if b.strip()]
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"{treebank} cannot be read: {error}. {FORMAT}")
    if not blocks:
        sys.exit(f"{treebank} has no sentences. {FORMAT}")
    chosen = blocks[limit:] if limit < 0 else blocks[: limit or None]
    path = directory / f"{treebank.stem}{'-merged' * merge}.spacy"
    for block in chosen:
        if fault := fault_of(block):
            found = re.search(r"(?m)^# *sent_id *= *(.*)|^[^#\n].*", block)
            place = " ".join((found[1] or found[0]).split()) if found else block
            sys.exit(f"{treebank}, sentence '{place}': {fault}")
    chosen = [LEMMA.sub(r"\1", block) for block in chosen]
    try:
        told = {} if "\tVINF\t" in "".join(blocks) else VERB_FORMS
        if universal:
            chosen = [make_alike(block, told) for block in chosen]
        text = "\n\n".join(chosen) + "\n\n"
        docs = list(conllu_to_docs(text, n_sents=5, merge_subtokens=merge, no_print=True))
        for token in (token for doc in docs for token in doc if merge):
            if " " not in token.text:
                token.lemma_ = token.lemma_.partition(" ")[0]
    except (ValueError, IndexError, KeyError) as error:
        message = str(error).rstrip(".")
        sys.exit(f"{treebank} cannot be converted: {message}. {FORMAT}")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        DocBin(docs=docs, store_user_data=True).to_disk(path)
    except OSError as error:
        sys.exit(f"{path} cannot be written: {error.strerror}. Give another DIRECTORY.")
    return path


def fault_of(sentence: str) -> str:
    """RETURNS (str): What makes a sentence in CoNLL-U useless for training, and what to do; "" if nothing."""
    rows = [line.split("\t") for line in sentence.strip().split("\n") if line[:1] != "#"]
    words = [row for row in rows if row[0].isdigit()]
    if not words or any(len(row) != 10 for row in rows):
        return f"not all lines have ten columns, divided by tabs. {FORMAT}"
    heads = {row[0]: row[6] for row in words}
    if list(heads) != [str(i) for i in range(1, len(words) + 1)]:
        return f"the words are not numbered 1, 2, 3. {FORMAT}"
    for number, form, _, pos, *_ in words:
        if form == "_" and pos not in UNDERSCORES:
            return f"word {number} is withheld. The README of the treebank says where to get it."
        if heads[number] not in {"0", *heads}:
            return f"the head of word {number} is '{heads[number]}', which is no word. {MEND}"
    if (n := sum(head == "0" for head in heads.values())) != 1:
        return f"there are {n} roots in place of one. {MEND}"
    reached = {"0"}
    while new := {word for word, head in heads.items() if head in reached} - reached:
        reached |= new
    left = [word for word in heads if word not in reached]
    return f"the head of word {left[0]} depends on that word. {MEND}" if left else ""


def make_alike(sentence: str, verb_forms: dict[str, str]) -> str:
    """RETURNS (str): A sentence in CoNLL-U without what few languages have, and with forms of verbs by their tags."""
    rows = [line.split("\t") for line in sentence.split("\n")]
    words = [row for row in rows if len(row) == 10 and row[0].isdigit()]
    heads = {row[0]: row for row in words}
    for row in words:
        clause = heads.get(row[6], row)
        if "Rel" in row[5].partition("PronType=")[2].split("|")[0] and clause[7] == "acl":
            clause[7] = "acl:relcl"
    for row in words:
        kept = [item for item in row[5].split("|") if item.partition("=")[0] in FEATURES]
        if row[3] in ("VERB", "AUX") and "VerbForm=" not in row[5] and row[4] in verb_forms:
            form = "Fin" if "Mood=" in row[5] else verb_forms[row[4]]
            kept = sorted([*kept, f"VerbForm={form}"])
        row[4], row[5] = row[3], "|".join(kept) or "_"
        row[7] = row[7] if row[7] in SUBTYPES else row[7].partition(":")[0]
    return "\n".join(map("\t".join, rows))


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word not in ("-T", "-U")]
    if len(words) != 3 or not words[0].removeprefix("-").isdigit():
        sys.exit(__doc__)
    treebank, merge, universal = Path(words[1]), "-T" in sys.argv, "-U" in sys.argv
    folder, name = (treebank, "*.conllu") if treebank.is_dir() else (treebank.parent, treebank.name)
    files = [treebank] if treebank.is_file() else sorted(folder.rglob(name))
    if not files:
        sys.exit(f"{folder} has no {name}. {FORMAT}")
    known: dict[str, Path] = {}
    for file in files:
        if (other := known.setdefault(file.stem, file)) != file:
            sys.exit(f"{other} and {file} would be one file. Give each a DIRECTORY of its own.")
    for file in files:
        print(convert(int(words[0]), file, Path(words[2]), merge, universal))
