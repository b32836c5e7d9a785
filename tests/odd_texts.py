"""Texts that nobody writes on purpose, and what any pipeline has to make of them."""

import warnings
from collections.abc import Iterator

from spacy.language import Language
from spacy.tokens import Doc

from spacy_ucca.formats.xml import read_xml_string, write_xml_string
from spacy_ucca.rules.validate import ERROR, OWN_RULES, Problem, validate_graph

ODD_TEXTS = {
    "empty": "",
    "one space": " ",
    "spaces": "     ",
    "newlines": "\n\n\n",
    "newline": "\n",
    "tabs": "\t\t",
    "tab word": "\tGo",
    "mixed space": " \n\t \r\n ",
    "cr": "a\rb\r\nc",
    "nbsp only": "\xa0\xa0",
    "nbsp inside": "10\xa0km from\xa0here",
    "nbsp alone inside": "a \xa0 b",
    "thin space": "a\u2009b \u2009 c",
    "ideographic space": "a\u3000b",
    "zero width": "a\u200bb",
    "zwsp only": "\u200b",
    "zwsp alone inside": "a \u200b b",
    "zwj only": "\u200d",
    "bom": "\ufeffHello there.",
    "bom only": "\ufeff",
    "soft hyphen": "co\xadoperate",
    "line separator": "One.\u2028Two.",
    "paragraph separator": "One.\u2029Two.",
    "nel": "One.\x85Two.",
    "vertical tab": "a\x0bb",
    "form feed": "a\x0c b",
    "unit separator": "a \x1f b",
    "nul": "a\x00b",
    "nul only": "\x00",
    "controls": "\x01\x02 \x03",
    "escape": "\x1b[31mred\x1b[0m",
    "emoji": "That was fun 😀!",
    "emoji only": "😀",
    "emoji zwj": "\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f468\u200d\U0001f4bb",
    "flags": "🇩🇪🇫🇷",
    "keycap": "1️⃣ 2️⃣",
    "skin": "👍🏽 ok",
    "one token": "Go",
    "one letter": "a",
    "one punct": ".",
    "only punct": "... !!! , ; :",
    "quotes": "\"\"''",
    "brackets": "((([[]])))",
    "dashes": "-- --- – —",
    "ellipsis": "…",
    "symbols": "$ % & * + = < > @ # ^ ~ | \\ /",
    "hebrew": "החתול ישן על המחצלת.",
    "arabic": "نام القط.",
    "mixed rtl": "He said שלום to me.",
    "rtl marks": "\u200fabc\u200e \u202eabc\u202c",
    "chinese": "我喜欢猫。",
    "thai": "ฉันชอบแมว",
    "combining": "é ́",
    "zalgo": "h̷̢e̸͝l̵̛l̴o̶",
    "long word": "x" * 5000,
    "url": "See https://example.com/a?b=c#d.",
    "email": "me@example.com",
    "hashtag": "#tag @user",
    "numbers": "1 2 3.14 1e10 ½ ²",
    "roman": "Ⅳ",
    "math": "∀x∈ℝ: x²≥0",
    "surrogate-like": "\U0010ffff \ufffd",
    "upper": "STOP THAT NOW",
    "leading space": "   The cat slept.",
    "trailing space": "The cat slept.   ",
    "spaces inside": "The   cat   slept .",
    "blank lines": "The cat slept.\n\n\nThe dog barked.",
    "newline inside": "The cat\n\n slept .  \n",
    "space before punct": "Hi \n . \n !",
    "list": "- one\n- two\n\t- three",
    "table": "a\tb\tc\n1\t2\t3",
    "html": "<b>bold</b> &amp; &lt;",
    "markdown": "# Title\n\n* item **bold**",
    "code": "if (a == b) { return; }",
    "smileys": ":) :-( ;)",
    "apostrophes": "don't can't I'm 'twas",
    "no verb": "A red big dog",
    "only stopword": "the the the",
    "repeated": "no no no no no no no no",
    "question": "???",
    "sentences": "Go. Stop! Why? No.",
    "quote space": '" \n "',
    "white punct white": " \n.\n ",
    "comma list": ",,,,,",
    "tabs between": "a\t\tb",
    "lone combining": "́",
    "private use": "\ue000 \uf8ff",
    "musical": "𝄞",
    "ascii art": "(╯°□°)╯︵ ┻━┻",
}


def parse_odd_texts(nlp: Language) -> Iterator[tuple[str, Doc]]:
    """YIELDS (Tuple[str, Doc]): The name of each text, and its Doc, which has a graph over the tokens that are no white space."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, doc in zip(ODD_TEXTS, nlp.pipe(ODD_TEXTS.values()), strict=True):
            graph = doc._.ucca
            assert graph.words == tuple(token.text for token in doc), name
            for token in doc:
                assert (graph.unit_of(token.i) is None) == token.is_space, (name, token.i)
            yield name, doc


def problems(doc: Doc) -> list[Problem]:
    """RETURNS (List[Problem]): What the validator finds in the graph of a Doc, and in the file that is written of it: errors,
    and what the `ucca` package finds too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of characters that XML cannot hold
        file = read_xml_string(write_xml_string(doc._.ucca))
    found = [*validate_graph(doc._.ucca), *validate_graph(file, one_root=True)]
    return [problem for problem in found if problem.level == ERROR or problem.rule not in OWN_RULES]


def check_odd_texts(nlp: Language) -> None:
    """Parse all odd texts; no graph breaks a rule, on the Doc or in a file."""
    assert len(ODD_TEXTS) > 80
    found = {name: problems(doc) for name, doc in parse_odd_texts(nlp)}
    assert {name: some for name, some in found.items() if some} == {}
