"""Gold passages as text: which are read, their sentences, paragraphs and spaces."""

from pathlib import Path

import pytest

from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.registry import FORMATS
from spacy_ucca.formats.xml import write_xml
from spacy_ucca.training.convert import read_passages

SENTENCES = ("[H [A Ann] [P ran]] [U .]", "[H [A It] [D [F did] [C n't]] [P rain]] [U .]")
UD = """# newdoc id = reviews-7
# sent_id = reviews-7-0001
# text = Ann ran.
1\tAnn\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_
2\tran\t_\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t_\tPUNCT\t_\t_\t2\tpunct\t_\tSpaceAfter=No

# sent_id = reviews-7-0002
{mark}# text = It didn't rain.
1\tIt\t_\tPRON\t_\t_\t4\tnsubj\t_\t_
2-3\tdidn't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdid\t_\tAUX\t_\t_\t4\taux\t_\t_
3\tn't\t_\tPART\t_\t_\t4\tadvmod\t_\t_
4\train\t_\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No
5\t.\t_\tPUNCT\t_\t_\t4\tpunct\t_\t_

"""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    for name in ("7", "8"):
        (graph,) = read_brackets(" ".join(SENTENCES))
        write_xml(graph.replace(details={"id": name}), tmp_path / f"{name}.xml")
    return tmp_path


def write(path: Path, text: str) -> list[Path]:
    path.write_text(text, "utf8")
    return [path]


def test_sentences_by_annotation(corpus):
    passages = read_passages(corpus)
    assert [p.graph.details["id"] for p in passages] == ["7", "8"]
    for passage in passages:
        assert passage.text == "Ann ran. It didn't rain."
        assert passage.sentence_ends == (3, 8) and passage.paragraph_ends == (8,)


@pytest.mark.parametrize(("mark", "between"), [("", ""), ("# newpar id = p2\n", "\n\n")])
def test_sentences_of_ud(corpus, tmp_path, mark, between):
    skipped = []
    ud = write(tmp_path / "ud.conllu", UD.format(mark=mark))
    (passage,) = read_passages(corpus, ud=ud, on_skipped=lambda *args: skipped.append(args))
    assert passage.text == f"Ann ran.{between}It didn't rain."
    assert passage.sentence_ends == (3, 8)
    assert passage.paragraph_ends == ((3, 8) if mark else (8,))
    ((file, reason),) = skipped
    assert file.name == "8.xml" and "UC222" in str(reason)


@pytest.mark.parametrize(
    ("listed", "found"),
    [
        (["7"], ["7"]),
        (["7000"], []),
        (["7000", "7001"], ["7"]),
        (["7000", "7001", "8001"], ["7"]),
        (["9", "8  a remark"], ["8"]),
    ],
)
def test_passages_are_whole(corpus, tmp_path, listed, found):
    ids = write(tmp_path / "list.txt", "\n".join(listed))
    if not found:
        with pytest.raises(UccaError, match="UC221"):
            read_passages(corpus, ids=ids)
        return
    assert [p.graph.details["id"] for p in read_passages(corpus, ids=ids)] == found


@pytest.mark.parametrize("name", ["jsonl", "mrp", "brackets", "penman"])
def test_other_formats(corpus, tmp_path, name):
    """The same passages, sentences and listed ids as in XML, with the text that a format has."""
    text = "Ann  ran.\tIt didn't rain."
    graphs = [
        p.graph.replace(details={**p.graph.details, "text": text}) for p in read_passages(corpus)
    ]
    write_file = FORMATS[name].write
    path = tmp_path / f"a{FORMATS[name].suffixes[0]}"
    path.write_text(FORMATS[name].separator.join(map(write_file, graphs)), "utf8")
    passages = read_passages(path)
    assert [p.graph.details["id"] for p in passages] == ["7", "8"]
    for passage in passages:
        assert passage.text.split() == text.split() and passage.sentence_ends == (3, 8)
        assert passage.text == text or name not in ("jsonl", "mrp")
        assert passage.spaces == (True, False, True, True, False, True, False, False)
    ids = write(tmp_path / "ids.txt", "7\n8001\n9001\n")
    skipped = []
    (passage,) = read_passages(path, ids=ids, on_skipped=lambda what, _: skipped.append(what))
    assert passage.graph.details["id"] == "7" and skipped == ["9001"]


def test_names_in_lists_that_are_not_there_are_named(corpus, tmp_path):
    skipped = []
    ids = write(tmp_path / "ids.txt", "7\n8001\n9001\nx\n")
    read_passages(corpus, ids=ids, on_skipped=lambda path, _: skipped.append(str(path)))
    assert skipped == ["9001", "x"]


def test_bad_files_are_named(corpus):
    (corpus / "a.xml").write_text("<root", "utf8")
    (corpus / "b.xml").write_text('<root passageID="b"><layer layerID="0"/></root>', "utf8")
    skipped: list[str] = []
    passages = read_passages(corpus, on_skipped=lambda file, err: skipped.append(file.name))
    assert len(passages) == 2 and skipped == ["a.xml", "b.xml"]


def test_corpora(corpora):
    """All passages of a corpus have a text with their words, and sentences that end at its end."""
    for passage in read_passages(corpora / "UCCA_English-20K"):
        assert "".join(passage.text.split()) == "".join("".join(passage.graph.words).split())
        assert passage.sentence_ends[-1] == len(passage.graph.words)
        assert set(passage.paragraph_ends) <= set(passage.sentence_ends)
