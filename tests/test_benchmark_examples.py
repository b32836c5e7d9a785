"""The benchmark of textbook examples: its reader of bracketed examples, what it counts, and a run."""

import json
from pathlib import Path

import bracketed
import pytest
import spacy
from benchmark_runs import run
from util import make_examples, tiny_config

import examples
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph


def units(text: str) -> list[str]:
    """RETURNS (List[str]): The units of an example, written as category and words."""
    example = bracketed.read_example(text)
    return [
        f"{unit.category} {' '.join(example.words[i] for i in sorted(unit.tokens))}"
        for unit in example.units
    ]


# The reader


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PaulA sangP [aF songC]A", ["A Paul", "P sang", "F a", "C song", "A a song"]),
        ("[myS+A (cat)A]E catC", ["S my", "A my", "E my", "C cat"]),
        ("[DrinkP it, (IMP)A]H!", ["P Drink", "H Drink it"]),
        ("SheA putP−itA down−P", ["A She", "A it", "P put down"]),
        ("[tookF aF]P−longD [napC]−P", ["F took", "F a", "D long", "C nap", "P took a nap"]),
        ("[hasF]S+A−noD [uncleC]−S+A", ["F has", "D no", "C uncle", "S has uncle", "A has uncle"]),
        ("IA have n’tD [had to UNA]D goP", ["A I", "D n't", "D had to", "P go"]),
        ("[I said ‘no’ to Ann]H", ["H I said no to Ann"]),
        ("[AnnA, who’s outS]H.", ["A Ann", "S out", "H Ann who 's out"]),
        ("[Jim works for NASA]H", ["H Jim works for NASA"]),
        ("[inR theF UKC]A", ["R in", "F the", "C UK", "A in the UK"]),
        ("A bee seesP I", ["P sees"]),
        ("[[heA left]", ["A he"]),
        ("heA] wentP]A", ["A he", "P went"]),
        ("−P heA ]−P", ["A he"]),
        ("[,]A [ ]P", []),
        ("[IMP]A", []),
        ("", []),
    ],
)
def test_units_of_an_example(text, expected):
    assert units(text) == expected


def test_words_of_an_example():
    example = bracketed.read_example("[I have n’tD, [wellF: (IMP)A] (it)A did’veF!]H")
    assert example.words == ("I", "have", "n't", ",", "well", ":", "did've", "!")
    assert {example.words[i] for i in example.punct} == {",", ":", "!"}


def test_examples_of_a_text():
    text = (
        "1. “SheA sleepsP” (one Scene, “no example”)\n2. “SieA schläftP”de and “EllaA duermeP”es\n"
        "• “[the under-\n12\nstandingP]A” or\n“SheA sleepsP” “[open\n3. “[[aF manC]A leftP]H”"
    )
    found = bracketed.read_examples(text)
    assert [" ".join(example.words) for example in found] == [
        "She sleeps",
        "the understanding",
        "a man left",
    ]
    assert bracketed.read_examples("") == [] == bracketed.read_examples("no “quotes” [hereA")


# What is counted


def graph(text: str) -> Graph:
    (found,) = read_brackets(text)
    return found


GOLD = "[H [A#s She] [P took] [A [F the] [C bus]]] [L and] [H [P slept] [A* =s]] [U .]"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (GOLD, []),
        # Where a Function is, categories of other units, punctuation and implicit units are left out
        (
            "[H [A#s She] [P took] [F the] [A bus]] [D and] [H [P slept] [U .] [A* =s] [A IMPLICIT]]",
            [],
        ),
        (GOLD.replace("[P slept]", "[S slept]"), ["main relations"]),
        (GOLD.replace(" [A* =s]", ""), ["Participants"]),
        (
            GOLD.replace("[A* =s]", "[A* =s] [P* =t]").replace("P took", "P#t took"),
            ["main relations"],
        ),
        (GOLD.replace("[L and] [H", "[H [L and]"), ["Scenes"]),
        (GOLD.replace("[F the] [C bus]", "[E the] [C bus]"), []),
        (GOLD.replace("[A [F the] [C bus]]", "[F the] [D bus]"), ["Participants"]),
    ],
)
def test_what_is_right_of_a_sentence(text, wrong):
    found = examples.right_parts(graph(text), graph(GOLD))
    assert [name for name in examples.PARTS if not found[name]] == wrong
    assert found["all three"] == (not wrong)


def test_a_unit_is_found_by_a_primary_edge_of_its_category():
    example = bracketed.read_example("[SheA sangP]H, [sheA ateP [aF hamC]A]H")
    predicted = graph(
        "[H [A#1 She] [P sang]] [U ,] [H [A* =1] [D she] [S|P ate] [A [E a] [C ham]]]"
    )
    missed = [unit for unit, is_found in examples.found_units(predicted, example) if not is_found]
    assert [(unit.category, unit.tokens) for unit in missed] == [("A", {3}), ("F", {5})]


def test_shares(graphs):
    found = examples.score_sentences(graphs, graphs)
    assert found["all three"] == found["F1"] == 100 and found["wrong"] == {}
    example = bracketed.read_example("SheA sangP")
    other = bracketed.read_example("SheA ateA")
    graphs = [graph("[H [A She] [P sang]]"), graph("[H [A She] [P ate]]")]
    scores = examples.score_examples(graphs, [example, other])
    assert (scores["whole"], scores["found"], scores["units"]) == (50, 75, 4)
    assert scores["recall"] == {"A": 66.7, "P": 100} and scores["total"] == {"A": 3, "P": 1}


def test_a_run(graphs: list[Graph], tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("ucca_parser", config=tiny_config())
    nlp.initialize(lambda: make_examples(nlp.vocab, graphs))
    nlp.to_disk(tmp_path / "model")
    manual = tmp_path / "manual.txt"
    manual.write_text("“SheA sangP” “[aF manC]A leftP”", "utf8")
    options = [examples, tmp_path / "model", "--manual", manual, "--beam", 1, "--beam", 2]
    found = run(*options, folder=tmp_path)
    assert [result["beam"] for result in found["results"]] == [1, 2]
    for result in found["results"]:
        assert result["ours"]["sentences"] >= 85 > 0 == result["manual"]["whole"]
        assert result["manual"]["examples"] == 2 and result["manual"]["units"] == 6
        assert result["ours"]["wrong"]  # it has learned nothing
    assert "whole" in found["output"]
    assert json.loads((tmp_path / "figures.json").read_text("utf8"))["machine"]
