"""Patterns that are none: the message names the pattern, the node and the remedy, or shows the place."""

from functools import partial

import pytest
import spacy
from lines_run import lines_run
from written_docs import doc_of

from spacy_ucca.errors import UccaError
from spacy_ucca.matcher import UccaMatcher, parse_pattern

VOCAB = spacy.blank("en").vocab
ROOT = {"RIGHT_ID": "scene", "RIGHT_ATTRS": {"CATEGORY": "H"}}
NODE = {"LEFT_ID": "scene", "REL_OP": ">", "RIGHT_ID": "who", "RIGHT_ATTRS": {}}


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ([], "UC643.*Pattern 1 of 'KEY' is empty"),
        (7, "UC643.*is int. A pattern is a list"),
        ([ROOT, "x"], "UC643.*a list with str"),
        ([{**ROOT, "RIGHT_ATTR": 1}], "UC644.*node 'scene': a node has no key.*'RIGHT_ATTRS'"),
        ([{**ROOT, "RIGHT_ATTRS": {"KATEGORY": "H"}}], "UC644.*Did you mean 'CATEGORY'"),
        ([{**ROOT, "RIGHT_ATTRS": {"LEMMA": "buy"}}], "UC644.*HEAD"),
        ([ROOT, {**NODE, "EDGE_ATTRS": {"REMOT": True}}], "UC644.*'who': EDGE_ATTRS.*'REMOTE'"),
        ([{**ROOT, "RIGHT_ATTRS": {"LENGTH": {"=>": 3}}}], "UC644.*the value of LENGTH"),
        ([{**ROOT, "RIGHT_ATTRS": {"CATEGORY": {"INN": []}}}], "UC644.*Did you mean 'IN'"),
        ([{**ROOT, "RIGHT_ATTRS": 7}], "UC645.*RIGHT_ATTRS cannot be 7"),
        ([{**ROOT, "RIGHT_ATTRS": {"CATEGORY": 7}}], "UC645.*CATEGORY cannot be 7"),
        ([{**ROOT, "RIGHT_ATTRS": {"CATEGORY": {}}}], "UC645"),
        ([{**ROOT, "RIGHT_ATTRS": {"CATEGORY": {"IN": "A"}}}], "UC645.*a list of texts"),
        ([{**ROOT, "RIGHT_ATTRS": {"CATEGORY": {"REGEX": "("}}}], "UC645.*regular expression"),
        ([{**ROOT, "RIGHT_ATTRS": {"IS_SCENE": 1}}], "UC645.*IS_SCENE cannot be 1.*True or False"),
        ([{**ROOT, "RIGHT_ATTRS": {"LENGTH": "3"}}], "UC645.*LENGTH cannot be '3'"),
        ([{**ROOT, "RIGHT_ATTRS": {"KIND": "relative"}}], "UC645.*KIND cannot be 'relative'.*root"),
        ([{**ROOT, "RIGHT_ATTRS": {"HEAD": "buy"}}], "UC645.*HEAD cannot be 'buy'"),
        ([{**ROOT, "RIGHT_ATTRS": {"HEAD": {"LEMMA": "x", "OP": "+"}}}], "UC645.*without OP"),
        (
            [{**ROOT, "RIGHT_ATTRS": {"TOKENS": [{"LOWER": "x", "OP": "{2,9999999999}"}]}}],
            "UC645.*at most 9999",
        ),
        (
            [{**ROOT, "RIGHT_ATTRS": {"TOKENS": [{"lower": "x", "op": "{9999999999}"}]}}],
            "UC645.*at most 9999",
        ),
        ([{**ROOT, "RIGHT_ATTRS": {"HEAD": {"lemma": "x", "op": "+"}}}], "UC645.*without OP"),
        ([{**ROOT, "RIGHT_ATTRS": {"TOKENS": {"LEMMA": "x"}}}], "UC645.*TOKENS"),
        ([{**ROOT, "RIGHT_ID": ["x"]}], "UC645.*RIGHT_ID"),
        ([{**ROOT, "RIGHT_ATTRS": {"CATEGORY": "participant"}}], "UC646.*Did you mean 'A'"),
        ([{**ROOT, "RIGHT_ATTRS": {"CATEGORY": {"IN": ["A", "X"]}}}], "UC646.*no category 'X'"),
        ([ROOT, {**NODE, "REL_OP": "->"}], "UC647.*'who': there is no REL_OP '->'"),
        ([ROOT, {**NODE, "REL_OP": None}], "UC647"),
        ([ROOT, {**NODE, "REL_OP": [">"]}], "UC647"),
        ([ROOT, {**NODE, "REL_OP": {}}], "UC647"),
        ([{**ROOT, "RIGHT_ATTRS": {"KIND": {"REGEX": "a{99999999999}"}}}], "UC645.*too large"),
        ([{**ROOT, "RIGHT_ATTRS": {"KIND": {"REGEX": "(" * 3000 + ")" * 3000}}}], "UC645"),
        ([{**ROOT, "RIGHT_ATTRS": {"HEAD": {"LEMMA": {"REGEX": "("}}}}], "UC657.*unterminated"),
        ([{**ROOT, "RIGHT_ATTRS": {"TOKENS": [{"TAG": {"REGEX": "*"}}]}}], "UC657.*repeat"),
        ([{**ROOT, "RIGHT_ATTRS": {"HEAD": {"TAG": {"REGEX": "(" * 3000}}}}], "UC657"),
        ([ROOT] * 251, "UC676.*more than 250 nodes"),
        ([ROOT, {**NODE, "RIGHT_ID": "scene"}], "UC648.*node 'scene'"),
        ([ROOT, {**NODE, "LEFT_ID": "scenes"}], "UC649.*no node has that RIGHT_ID.*'scene'"),
        ([ROOT, {**NODE, "LEFT_ID": ["x"]}], "UC645.*LEFT_ID cannot be"),
        ([ROOT, {**NODE, "LEFT_ID": "who"}], r"UC649.*a cycle \(who -> who\)"),
        (
            [ROOT, {**NODE, "LEFT_ID": "b"}, {**NODE, "RIGHT_ID": "b", "LEFT_ID": "who"}],
            r"UC649.*a cycle \(who -> b -> who\)",
        ),
        ([ROOT, {**NODE, "LEFT_ID": "b"}, {**NODE, "RIGHT_ID": "b"}], "UC649.*comes later"),
        ([ROOT, {**NODE, "AFTER": "x"}], "UC649.*AFTER is 'x'"),
        ([ROOT, {**NODE, "OP": "!"}, {**NODE, "RIGHT_ID": "b", "AFTER": "who"}], "UC649.*OP is"),
        ([NODE], "UC650.*the first node has LEFT_ID. The first node is the root"),
        ([{"RIGHT_ID": "x"}], "UC650.*node 'x': RIGHT_ATTRS is missing"),
        ([{}], "UC650.*node 1: RIGHT_ID is missing"),
        ([{**ROOT, "OP": "!"}], "UC650.*has OP"),
        ([ROOT, {**ROOT, "RIGHT_ID": "two"}], "UC651.*'two': LEFT_ID and REL_OP"),
        ([ROOT, {**NODE, "OP": "+"}], "UC645.*OP cannot be"),
        ([ROOT, {**NODE, "REL_OP": ">>", "EDGE_ATTRS": {}}], "UC652.*not '>>'"),
        ([{**ROOT, "RIGHT_ATTRS": {"HEAD": {"LEMA": "x"}}}], "UC657.*tokens of HEAD"),
        ([{**ROOT, "RIGHT_ATTRS": {"TOKENS": [{"LEMMA": {1, 2}}]}}], "UC657.*tokens of TOKENS"),
    ],
)
def test_bad_patterns_are_named(pattern, message: str):
    with pytest.raises(UccaError, match=message):
        UccaMatcher(VOCAB).add("KEY", [pattern])


@pytest.mark.parametrize(
    ("patterns", "options", "message"),
    [
        ("P", {}, r"UC642.*got str.*matcher.add\('KEY', \[pattern\]\)"),
        (None, {}, "UC642.*got NoneType"),
        (["P"], {"on_match": 7}, "UC654.*got int"),
    ],
)
def test_bad_arguments(patterns, options, message: str):
    with pytest.raises(UccaError, match=message):
        UccaMatcher(VOCAB).add("KEY", patterns, **options)


@pytest.mark.parametrize("key", [None, 1.5, True, ["a"], ()])
def test_keys_are_texts_or_numbers(key):
    matcher = UccaMatcher(VOCAB)
    for use in (matcher.has_key, matcher.get, matcher.remove, lambda key: matcher.add(key, ["P"])):
        with pytest.raises(UccaError, match=r"UC677.*neither a text nor a whole number"):
            use(key)


@pytest.mark.parametrize("text", [None, 3, b"P", ["P"]])
def test_a_text_form_is_a_text(text):
    with pytest.raises(UccaError, match=rf"UC643.*is {type(text).__name__}\."):
        parse_pattern(text)


def chain(n: int, absent: bool = False) -> list:
    nodes = [{"RIGHT_ID": str(i), "RIGHT_ATTRS": {}} for i in range(n)]
    for i, node in enumerate(nodes[1:]):
        node |= {"LEFT_ID": str(i), "REL_OP": ">"} | ({"OP": "!"} if absent else {})
    return nodes


@pytest.mark.parametrize("sign", ["A", "!A", "A=a", "!A=a"])
def test_deep_patterns(sign):
    """The longest ones are searched, from deep calls too; longer ones are refused."""
    doc = doc_of("[H " + "[A " * 300 + "He" + "]" * 300 + " [P came]]", VOCAB)

    def text(n):
        return (
            "H" + "".join(f"[{sign}{i if '=' in sign else ''}" for i in range(1, n)) + "]" * (n - 1)
        )

    for pattern in (text(250), chain(250, "!" in sign)):
        matcher = UccaMatcher(VOCAB)
        matcher.add("KEY", [pattern])
        assert matcher(doc) or "!" in sign
    for n in (251, 400, 3000):
        with pytest.raises(UccaError, match=r"UC653.*at most 250 nodes"):
            parse_pattern(text(n))
        with pytest.raises(UccaError, match=r"UC676.*more than 250 nodes"):
            UccaMatcher(VOCAB).add("KEY", [chain(n, "!" in sign)])


def test_time_grows_with_the_size():
    """Five times as many nodes that must be absent, at most 15 times the lines run."""
    few, many = (
        lines_run(partial(UccaMatcher(VOCAB).add, "KEY", [chain(n, True)])) for n in (50, 250)
    )
    assert many < 15 * few


def test_a_search_of_too_many_steps_is_given_up():
    doc = doc_of("[H " + " ".join(["[A a]"] * 30) + "]", VOCAB)
    matcher = UccaMatcher(VOCAB)
    matcher.add("KEY", ["H[A A=b A=c A=d]"])
    steps = []
    n_found = len(matcher(doc, check=steps.append))
    assert n_found and len(matcher(doc, max_steps=sum(steps))) == n_found
    with pytest.raises(UccaError, match=r"UC678.*more than [\d,]+ steps.*--max-steps"):
        matcher(doc, max_steps=sum(steps) - 1)


def test_an_extension_that_is_not_registered():
    matcher = UccaMatcher(VOCAB)
    matcher.add("KEY", [[{**ROOT, "RIGHT_ATTRS": {"HEAD": {"_": {"no_such_thing": 1}}}}]])
    with pytest.raises(UccaError, match=r"UC657.*no_such_thing"):
        matcher(doc_of("[H [A He] [P came]]", VOCAB))


@pytest.mark.parametrize(
    ("text", "column"),
    [
        *(("", 1), ("  ", 3), ("[", 1), ("H[", 2), ("H]", 2), ("H H", 3), ("H[A[C]", 2)),
        *(("Center", 1), ("H[P Ax]", 5), ("S|X", 3), ("H[P/s]", 5), ("H[A=x A=x:scene]", 7)),
        *(
            ("H=", 3),
            ("H[A=1]", 5),
            ("H*", 2),
            ("H[>>A*]", 6),
            ("H[!]", 4),
            ("H[> >>]", 5),
            ("H[>>>E]", 5),
            ("H[!!E]", 4),
        ),
        *(("H:", 3), ("H:foo", 3), ("P:lemma", 8), ("P:lemma()", 9), ("P:lemma(a", 10)),
        *(("P:lemma(a|)", 11), ("P:lemma(a):lemma(b)", 12), ("P:scene:scene", 9)),
        *(
            ("P:kind(x)", 3),
            ("P:pos(VRB)", 3),
            ("P:!pos(VERB|noun)", 3),
            ("P:!has(a)", 3),
            ("P:has(a|b)", 3),
            ("🎉", 1),
            ("H[A 🎉]", 5),
        ),
        *(("H[A=unit[A]]", 3), ("H\n[A=]", 6)),
    ],
)
def test_bad_texts_show_the_place(text: str, column: int):
    with pytest.raises(UccaError) as caught:
        parse_pattern(text)
    message, shown, caret = str(caught.value).split("\n")
    assert message.endswith(f"(column {column}):")
    assert shown == "    " + text.replace("\n", " ")
    assert caret == "    " + " " * (column - 1) + "^"


def test_the_test_that_was_meant_is_named():
    for written, meant in (("lema(buy)", "lemma"), ("negate", "negated"), ("pos(VRB)", "VERB")):
        with pytest.raises(UccaError, match=rf"Did you mean '{meant}'\?"):
            parse_pattern(f"P:{written}")
    assert parse_pattern("P:pos(VRB)", validate=False)


@pytest.mark.parametrize("value", ["VRB", {"IN": ["VERB", "noun"]}, {"NOT_IN": ["VRB"]}])
@pytest.mark.parametrize("name", ["HEAD", "TOKENS"])
def test_parts_of_speech_are_those_of_spacy(name, value):
    tests = {"POS": value} if name == "HEAD" else [{"POS": value}]
    pattern = [{"RIGHT_ID": "a", "RIGHT_ATTRS": {name: tests}}]
    with pytest.raises(UccaError, match=r"UC645.*node 'a': POS cannot be.*VERB"):
        UccaMatcher(VOCAB).add("KEY", [pattern])
    UccaMatcher(VOCAB, validate=False).add("KEY", [pattern])


@pytest.mark.parametrize("vocab", [spacy.blank("en"), "en", None])
def test_a_pipeline_is_no_vocabulary(vocab):
    with pytest.raises(UccaError, match=r"UC686.*UccaMatcher\(nlp.vocab\)"):
        UccaMatcher(vocab)
