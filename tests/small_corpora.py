"""The annotated sample as corpora in the layout of the real ones, so that the spaCy project runs on it.

    python tests/small_corpora.py DIRECTORY

Every fourth passage is for development. The same sentences stand in for all corpora, and those for development for English
20K.
"""

import sys
from pathlib import Path

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.xml import write_xml
from spacy_ucca.graph import Graph
from spacy_ucca.text.split import merge_roots

DATA = Path(__file__).parent / "data"
SENTENCES = 4  # in a passage
COARSE = {"N": "NOUN", "V": "VERB", "J": "ADJ", "R": "ADV", "P": "PRON", "D": "DET", "I": "ADP"}
EWT, WIKI, UD = "UCCA_English-EWT", "UCCA_English-Wiki-1.2", "UD_English-EWT"
DOMAIN = "UCCA_English-20K"
OTHERS = ("UCCA_German-20K", "UCCA_French-20K")


def write_corpora(directory: Path) -> None:
    """Write five UCCA corpora and a treebank.

    directory (Path): Where to; it gets the folders that `project.yml` names.
    """
    graphs = read_brackets((DATA / "sample.txt").read_text("utf8"), source="sample.txt")
    blocks = read_conllu((DATA / "sample.conllu").read_text("utf8"))
    for corpus in (EWT, WIKI, DOMAIN, *OTHERS):
        (directory / corpus / "xml").mkdir(parents=True, exist_ok=True)
    (directory / UD).mkdir(exist_ok=True)
    lists: dict[tuple[str, str], list[str]] = {}
    for number, start in enumerate(range(0, len(graphs), SENTENCES)):
        part = "dev" if number % 4 == 3 else "train"
        passage = graphs[start : start + SENTENCES]
        name = f"{number:06d}"
        write_xml(join(passage, name), directory / EWT / "xml" / f"{name}.xml")
        for i, graph in enumerate(passage, start=1):
            rows = with_more_columns(blocks[graph.details["id"]])
            text = f"# sent_id = reviews-{name}-{i:04d}\n{rows}\n"
            lists.setdefault((UD, part), []).append(text)
            lists.setdefault((EWT, part), []).append(f"{name}-{i:04d}")
        name = f"ucca_passage{number}"
        for corpus in (WIKI, *OTHERS):
            write_xml(join(passage, name), directory / corpus / "xml" / f"{name}.xml")
            lists.setdefault((corpus, part), []).append(name)
        if part == "dev":
            write_xml(join(passage, name), directory / DOMAIN / "xml" / f"{name}.xml")
            lists.setdefault((DOMAIN, part), []).append(name)
    for (corpus, part), lines in lists.items():
        name = f"en_ewt-ud-{part}.conllu" if corpus == UD else f"{part}.txt"
        (directory / corpus / name).write_text("\n".join(lines) + "\n", "utf8")


def with_more_columns(rows: str) -> str:
    """RETURNS (str): The rows of a sentence with what the sample does not have: rough coarse tags, and the basic
    dependencies as enhanced ones, with a second head for subjects of conjoined or open clauses."""
    lines = rows.split("\n")
    cells = [line.split("\t") for line in lines]
    for row in cells:
        if len(row) == 10:
            above = {c[0]: c for c in cells if len(c) == 10}
            row[3] = COARSE.get(row[4][0], "X")
            row[8] = f"{row[6]}:{row[7]}"
            if row[7] == "nsubj":
                more = sorted(
                    n for n, c in above.items() if c[6] == row[6] and c[7] in ("conj", "xcomp")
                )
                row[8] += "".join(f"|{n}:nsubj" for n in more)
    return "\n".join("\t".join(row) for row in cells)


def join(graphs: list[Graph], name: str) -> Graph:
    """RETURNS (Graph): One passage of several sentences."""
    graph = merge_roots(Graph.join(graphs))
    return Graph(
        graph.words, graph.kinds, graph.edge_tuples, punct=graph.punct, details={"id": name}
    )


def read_conllu(text: str) -> dict[str, str]:
    """RETURNS (Dict[str, str]): The lines of each sentence after its `sent_id`, by that."""
    blocks = {}
    for block in text.strip().split("\n\n"):
        _, _, rest = block.partition("# sent_id = ")
        sent_id, _, rows = rest.partition("\n")
        blocks[sent_id] = rows
    return blocks


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write_corpora(Path(sys.argv[1]))
