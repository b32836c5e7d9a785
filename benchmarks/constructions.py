"""Find constructions of English in a dependency tree.

The trees have tags of the Penn Treebank and Universal Dependencies. The fixed lists of words serve counting alone.
"""

from collections.abc import Callable

from spacy.tokens import Token


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ARTICLES = words("the a an")
QUANTIFIERS = words("all every both few several many most")
LONG = """second minute hour day week weekend month year decade century morning afternoon evening night summer winter
    autumn spring january february march april may june july august september october november december monday tuesday
    wednesday thursday friday saturday sunday"""
TIMES = words(f"{LONG} noon midnight today yesterday tomorrow tonight") | {
    f"{word}s" for word in words(LONG)
}
WHEN = words(
    "today yesterday tomorrow tonight now recently currently nowadays always often sometimes usually later soon before"
)
LONGEST_TIME = 4  # words of a short time expression, preposition and article included
LIGHT = {
    "take": words("look walk shower action part place trip break nap note vote care step advantage seat"),
    "make": words("decision appearance debut mistake choice call offer effort attempt progress use contribution change "
                  "comment statement visit trip recommendation reservation appointment"
                  " payment arrangement difference reference suggestion"),
    "have": words("look talk conversation discussion chat fight argument drink rest effect impact influence"),
    "give": words("look speech talk call advice smile hug try answer performance permission"),
    "do": words("job work research damage"),
    "pay": words("attention visit tribute"),
}  # fmt: skip
FORMS = {
    **dict.fromkeys(words("take takes took taken taking"), "take"),
    **dict.fromkeys(words("make makes made making"), "make"),
    **dict.fromkeys(words("have has had having"), "have"),
    **dict.fromkeys(words("give gives gave given giving"), "give"),
    **dict.fromkeys(words("do does did done doing"), "do"),
    **dict.fromkeys(words("pay pays paid paying"), "pay"),
}
NOUNS = {"NN", "NNS", "NNP", "NNPS"}


def word(token: Token) -> str:
    return token.text.lower()


def single(condition: Callable[[Token], bool]) -> Callable[[Token], list[Token]]:
    return lambda token: [token] if condition(token) else []


def is_quantifier(token: Token) -> bool:
    return word(token) in QUANTIFIERS and token.dep_ in ("det", "det:predet", "amod")


def is_auxiliary(token: Token) -> bool:
    return token.dep_ in ("aux", "aux:pass") and token.tag_ not in ("MD", "TO")


def is_clause(token: Token) -> bool:
    return token.tag_.startswith("VB")


def joins_clauses(token: Token) -> bool:
    head = token.head
    return token.dep_ == "cc" and head.dep_ == "conj" and is_clause(head) and is_clause(head.head)


def joins_nouns(token: Token) -> bool:
    head = token.head
    return token.dep_ == "cc" and head.dep_ == "conj" and {head.tag_, head.head.tag_} <= NOUNS


def verb_stack(token: Token) -> list[Token]:
    """RETURNS (List[Token]): The modal and the auxiliaries of a verb that has at least two of them."""
    verbs = [child for child in token.lefts if child.dep_ in ("aux", "aux:pass")]
    return verbs if len(verbs) > 1 else []


def verb_of_infinitive(token: Token) -> list[Token]:
    """RETURNS (List[Token]): The verb on which an infinitive with "to" depends: "want" in "want to go"."""
    has_to = any(child.tag_ == "TO" for child in token.children)
    return [token.head] if token.dep_ == "xcomp" and has_to and is_clause(token.head) else []


def time_expression(token: Token) -> list[Token]:
    """RETURNS (List[Token]): A short expression that says when: "today", "last week", "in 2012"."""
    phrase = [t for t in token.subtree if t.dep_ != "punct"]
    is_year = len(token.text) == 4 and token.text.isdigit() and token.text[:2] in ("19", "20")
    if token.dep_ == "advmod" and word(token) in WHEN and is_clause(token.head):
        return phrase if len(phrase) == 1 else []
    if token.head.tag_ in ("RB", "RBR", "IN", "JJ"):  # "two days ago": the expression goes on
        return []
    if token.dep_ in ("obl", "obl:unmarked", "obl:tmod") and (word(token) in TIMES or is_year):
        return phrase if len(phrase) <= LONGEST_TIME else []
    return []


def light_verb(token: Token) -> list[Token]:
    nouns = LIGHT.get(FORMS.get(word(token.head), ""), frozenset())
    is_object = token.dep_ == "obj" and is_clause(token.head)
    return [token.head] if is_object and word(token).removesuffix("s") in nouns else []
