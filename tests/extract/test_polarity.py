"""Words that deny, and predicates that imply or deny their complements, in sentences that the shipped pipeline parses."""

import pytest
from spacy.tokens import Doc
from written_docs import VOCAB, make_doc, parse

from spacy_ucca.extract import kinds, predications
from spacy_ucca.extract.predications import COLUMNS
from spacy_ucca.lang import get_words

# text | verb | NOT or -
NEGATION = """
    Under no circumstances may you sell it. | sell | NOT
    You may run it without conditions. | run | -
    In no case may you copy it. | copy | NOT
    At no time did he leave the house. | leave | NOT
    By no means is it finished. | finished | NOT
    It is by no means finished. | finished | NOT
    In no way does this affect your rights. | affect | NOT
    This in no way affects your rights. | affects | NOT
    On no account should you open the box. | open | NOT
    He does not live here anymore. | live | NOT
    He no longer lives here. | lives | NOT
    Neither the man nor the woman came. | came | NOT
    He neither sings nor dances. | sings | NOT
    He neither sings nor dances. | dances | NOT
    You may not copy it, nor may you sell it. | sell | NOT
    You may not copy it, nor may you sell it. | copy | NOT
    You cannot sell it. | sell | NOT
    He left without saying goodbye. | left | -
    He left without saying goodbye. | saying | NOT
    A man with no money came. | came | -
    Not only did he come, he stayed. | come | -
    He did not come until Monday. | come | NOT
    No doubt he came. | came | -
    He came, no doubt. | came | -
    Nobody came. | came | NOT
    He has no money. | has | NOT
    He saw nothing. | saw | NOT
    He came with nothing but a bag. | came | -
    The man without a hat came. | came | -
    He lived without money. | lived | -
    A woman who does not smoke called him. | called | -
    A woman who does not smoke called him. | smoke | NOT
    He said that he would not come. | said | -
    He said that he would not come. | come | NOT
    He gave the book to nobody. | gave | NOT
    He spoke to no one. | spoke | NOT
    None of the students passed. | passed | NOT
    He never came. | came | NOT
    Never did he come. | come | NOT
    Rarely does he come. | come | -
    He hardly works. | works | NOT
    You must not modify the file in any way. | modify | NOT
    The software is provided without warranty. | provided | -
    You may use it with no restrictions. | use | -
    He is not happy. | happy | NOT
    The room had no windows. | had | NOT
    There is no reason to go. | go | -
    There is no warranty. | is | NOT
    It is no longer available. | available | NOT
    He is no fool. | fool | NOT
    No man left the house. | left | NOT
    The man in no hurry left. | left | -
    In no event shall the authors be liable. | liable | NOT
    In no event will the licensor be liable to you. | liable | NOT
    Not a single man came. | came | NOT
    Not all men came. | came | NOT
    He sold not the car but the house. | sold | NOT
    He works without a break. | works | -
    No matter what he says, she smiles. | smiles | -
    Few people came. | came | -
    He didn't eat or drink. | drink | NOT
    No one knows. | knows | NOT
    You can sell it at no cost. | sell | -
    It comes with no warranty. | comes | -
    He is the man with no name. | man | -
    Nowhere did she find it. | find | NOT
    On no condition will he agree. | agree | NOT
    He ate nothing. | ate | NOT
    No smoking. | smoking | NOT
    He will come without fail. | come | -
    I couldn't care less. | care | NOT
    He is tired, not hungry. | tired | -
    I doubt that he came. | came | -
    He came in no time. | came | -
    He not only sold the car but also the house. | sold | -
    Without doubt he came. | came | -
    He did nothing. | did | NOT
    At no point did she complain. | complain | NOT
    Under no condition shall the seller be liable. | liable | NOT
    On no occasion has he lied. | lied | NOT
    The seller shall in no event be liable for damages. | liable | NOT
    You may copy the file without permission. | copy | -
    He answered without hesitation. | answered | -
    Without a word he left the room. | left | -
    She went home without calling him. | went | -
    She went home without calling him. | calling | NOT
    The woman with no children moved. | moved | -
    He bought a house without a garden. | bought | -
    Not once did he smile. | smile | NOT
    Seldom does she write. | write | -
    He is no longer a member. | member | NOT
    They do not sell bread anymore. | sell | NOT
    Neither of them won. | won | NOT
    He has neither eaten nor slept. | eaten | NOT
    He has neither eaten nor slept. | slept | NOT
    He did not eat, nor did he sleep. | sleep | NOT
    No refund is given. | given | NOT
    No doubt she knew. | knew | -
    Not only the boys but also the girls sang. | sang | -
    Not until Monday did he call. | call | -
    The law in no way limits your rights. | limits | NOT
    Nothing happened. | happened | NOT
    She told nobody the truth. | told | NOT
    He relied on no one. | relied | NOT
    People who have no car can walk. | walk | -
    It costs nothing. | costs | NOT
    You can return it at no extra charge. | return | -
    I did not say that he lied. | lied | -
    I did not say that he lied. | say | NOT
    He sold the car because he had no money. | sold | -
    This is by no means easy. | easy | NOT
    No sooner had he left than she came. | left | -
    The tenant may not sublet the flat. | sublet | NOT
    We never met. | met | NOT
    He can hardly walk. | walk | NOT
    She came with nothing but a bag. | came | -
    They left without paying the bill. | left | -
"""
# The words of the graph alone do not tell these
ONLY_TREE = ("He didn't eat or drink.", "People who have no car can walk.")
# text | verb | polarity
POLARITY = """
    He paid. | paid | positive
    He did not pay. | pay | negative
    He refused to pay. | pay | negative
    He did not refuse to pay. | pay | unknown
    He failed to pay. | pay | negative
    He did not fail to pay. | pay | positive
    He managed to pay. | pay | positive
    He did not manage to pay. | pay | negative
    He forgot to pay. | pay | negative
    He did not forget to pay. | pay | positive
    You are prohibited from selling it. | selling | negative
    She prevented him from selling the car. | selling | negative
    The law forbids him to sell the car. | sell | negative
    He declined to answer. | answer | negative
    He neglected to answer. | answer | negative
    He avoided answering. | answering | negative
    He stopped smoking. | smoking | negative
    He was unable to come. | come | negative
    He was able to come. | come | unknown
    He was not able to come. | come | negative
    He hesitated to come. | come | unknown
    He did not hesitate to come. | come | positive
    He tried to come. | come | unknown
    He wants to come. | come | unknown
    He hopes to come. | come | unknown
    He plans to come. | come | unknown
    He may come. | come | unknown
    He must come. | come | unknown
    You should pay. | pay | unknown
    He can swim. | swim | unknown
    He would pay. | pay | unknown
    If it rains, we stay. | rains | unknown
    If it rains, we stay. | stay | unknown
    Did he pay? | pay | unknown
    Pay the bill. | Pay | unknown
    Do not pay the bill. | pay | unknown
    He neither sells nor rents cars. | rents | negative
    He left without paying. | paying | negative
    He left without paying. | left | positive
    He left because he was ill. | ill | positive
    He said that he paid. | paid | unknown
    He knows that she paid. | paid | positive
    He remembered to pay. | pay | positive
    He did not remember to pay. | pay | negative
    He kept her from leaving. | leaving | negative
    He refrained from smoking. | smoking | negative
    He began to sing. | sing | positive
    He did not want to sell the car. | sell | unknown
    He went to the shop to buy milk. | buy | unknown
    He was forced to leave. | leave | positive
    They made him leave. | leave | positive
    He was not allowed to leave. | leave | negative
    He was allowed to leave. | leave | unknown
    He came and paid. | paid | positive
    He did not come or pay. | pay | negative
    He will come. | come | positive
    He refused not to pay. | pay | positive
    He may refuse to pay. | pay | unknown
    He failed to stop smoking. | smoking | positive
    He ceased to exist. | exist | negative
    He did not try to come. | come | unknown
    He has been banned from driving. | driving | negative
    He could not come. | come | negative
    He decided to pay. | pay | unknown
    They agreed to pay. | pay | unknown
    The driver failed to notice the dog. | notice | negative
    He was prevented from leaving. | leaving | negative
    You may not sell it. | sell | unknown
    She saw him leave. | leave | positive
    His failure to pay surprised us. | pay | negative
    He had the courage to speak. | speak | positive
    Nobody came. | came | negative
    Perhaps he came. | came | unknown
    He stopped to eat. | eat | unknown
    He was stopped from leaving. | leaving | negative
    He succeeded in opening the door. | opening | positive
    He did not have the courage to speak. | speak | negative
    You may sell it as long as you pay. | pay | unknown
    You will get it as long as you pay. | get | unknown
    Even if it rains, we stay. | stay | positive
    Even if it rains, we stay. | rains | unknown
    Smoking is prohibited here. | Smoking | negative
    They refrained from selling the car. | selling | negative
    He never failed to answer. | answer | positive
    He was not prevented from leaving. | leaving | unknown
    No one refused to pay. | pay | unknown
    She forgot that he paid. | paid | positive
    She did not know that he paid. | paid | positive
    He remembered that she left. | left | positive
    He discouraged them from voting. | voting | negative
    Unless you pay, we leave. | leave | unknown
    He asked whether she paid. | paid | unknown
    He asked her to leave. | leave | unknown
    He promised to pay. | pay | unknown
    He happened to see her. | see | positive
    Who paid the bill? | paid | unknown
    Let him go. | go | unknown
    He might not come. | come | unknown
    He must not come. | come | unknown
    He won't come. | come | negative
    He would not come. | come | unknown
    Under no circumstances may you sell it. | sell | unknown
    In no way did he help. | help | negative
    He had to leave. | leave | unknown
    He needs to leave. | leave | unknown
    He seems to sleep. | sleep | unknown
    He used to smoke. | smoke | positive
    He is going to leave. | leave | unknown
    They enabled him to leave. | leave | unknown
    They did not let him leave. | leave | negative
    He left before she came. | came | unknown
    He left after she came. | came | positive
    Although he was ill, he came. | ill | positive
    Anyone who copies it is liable. | copies | unknown
    He was glad to see her. | see | positive
    He was not glad to see her. | see | positive
    He is unwilling to pay. | pay | negative
    It is impossible to open the door. | open | negative
    It is possible to open the door. | open | unknown
    She lacked the courage to speak. | speak | negative
    He escaped paying. | paying | negative
    Having refused to pay, he left. | pay | negative
    He left, refusing to pay. | pay | negative
    He was too tired to come. | come | unknown
    The company neglected to inform its customers. | inform | negative
    The licence does not permit selling it. | selling | negative
    He quit smoking and began to run. | run | positive
    He hesitated and left. | left | positive
    I did not hesitate to call. | call | positive
    He cannot come. | come | negative
    He managed not to laugh. | laugh | negative
    He did not happen to see her. | see | negative
    The sale of the car is forbidden. | sale | negative
    His wife was forbidden to go. | wife | unknown
    My wife and kids can't get enough. | wife | unknown
    He took a walk. | took | positive
    Any other use is prohibited. | use | negative
    He failed, trying to open it. | open | unknown
    He failed, looking at her. | looking | positive
    He stopped, looking at her. | looking | positive
    He used a knife to open the box. | open | unknown
    He knows that he has waited long. | waited | positive
    He forgot whether she paid. | paid | unknown
    We go provided that it is warm. | warm | unknown
    Call me in case it rains. | rains | unknown
    They leave in case it rains. | leave | positive
    He waited long. | waited | positive
    It is time to leave. | leave | unknown
    He stayed because he wanted to help. | help | unknown
    You can stay if you want. | stay | unknown
    She was surprised that he came. | surprised | positive
    He says he failed to pay. | pay | unknown
    I know he failed to pay. | pay | negative
    He got up to open the door. | open | unknown
    The tenant failed to pay the rent. | pay | negative
    The bank declined to lend the money. | lend | negative
    She managed to escape. | escape | positive
    The rain prevented us from playing. | playing | negative
    Users are forbidden to share the password. | share | negative
    He kept quiet and avoided looking at her. | looking | negative
    The law prohibits companies from selling data. | selling | negative
    I forgot to lock the door. | lock | negative
    She did not forget to lock the door. | lock | positive
    They never managed to open it. | open | negative
    He was unable to walk. | walk | negative
    They were not able to find it. | find | negative
    She wants to leave. | leave | unknown
    He intends to sell the house. | sell | unknown
    He may sell the house. | sell | unknown
    If he comes, she will leave. | leave | unknown
    She will leave tomorrow. | leave | positive
    Did she leave? | leave | unknown
    Open the window. | Open | unknown
    He ceased to work there. | work | negative
    She did not hesitate to answer. | answer | positive
    The company neglected to warn its customers. | warn | negative
    They stopped making bread. | making | negative
    He refused to let her go. | go | negative
    You are not allowed to smoke. | smoke | negative
    They forced him to resign. | resign | positive
    She realized that he had left. | left | positive
    She thinks that he left. | left | unknown
    He left the house without locking the door. | locking | negative
    The man who called is here. | called | positive
    He did not refuse to help. | help | unknown
    He did not fail to impress. | impress | positive
    He attempted to run. | run | unknown
    The court barred him from entering. | entering | negative
    He should pay. | pay | unknown
    She or her brother will come. | come | positive
    Unless it rains, we play. | play | unknown
    They omitted to sign the form. | sign | negative
    His refusal to pay was expected. | pay | negative
    You must refrain from smoking. | smoking | unknown
"""


def rows_of(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split(" | ")] for line in table.strip().splitlines()]


def row_of(doc: Doc, verb: str):
    found = predications(doc)
    return next(
        p for p in found if p.head and verb in (p.head.text, *(token.text for token in p.relation))
    )


@pytest.mark.parametrize("text, verb, wanted", rows_of(NEGATION))
def test_a_word_denies_what_it_governs(nlp, text, verb, wanted):
    doc = parse(nlp, text)
    row = row_of(doc, verb)
    assert row.is_negated == (wanted == "NOT") == kinds.is_negated(doc, row.scene)
    assert text in ONLY_TREE or row.scene.is_negated == row.is_negated


@pytest.mark.parametrize("text, verb, wanted", rows_of(POLARITY))
def test_polarity(nlp, text, verb, wanted):
    row = row_of(parse(nlp, text), verb)
    assert row.polarity == row.to_dict()["polarity"] == wanted


def test_tables_have_polarity():
    assert "polarity" in COLUMNS


@pytest.mark.filterwarnings("ignore:.*UW690")
@pytest.mark.parametrize(
    "graph, wanted",
    [("[H [A They] [D never] [P went]]", "negative"), ("[H [A They] [P went]]", "unknown")],
)
def test_without_dependencies_only_words_tell(graph, wanted):
    (found,) = predications(make_doc(graph))
    assert found.polarity == wanted


@pytest.mark.parametrize("lang", ["en", "de", "fr"])
def test_no_predicate_has_two_signatures(lang):
    signatures = get_words(lang).signatures
    words = [word for listed in signatures.values() for word in listed]
    assert len(set(words)) == len(words) > 2
    assert all(len(key) == 2 and set(key) <= set("+-o") for key in signatures)


def test_a_root_with_any_label_ends_the_search():
    doc = Doc(
        VOCAB, words=["refused", "pay"], heads=[0, 0], deps=["xcomp", "xcomp"], pos=["VERB"] * 2
    )
    doc._.ucca = make_doc("[H [D refused] [P pay]]")._.ucca
    (found,) = predications(doc)
    assert found.polarity in ("positive", "negative", "unknown")
