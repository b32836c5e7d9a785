"""English."""

from .words import make_words

WORDS = make_words(
    negation="""not n't n’t nt never no nor neither none nobody nothing nowhere without hardly scarcely cannot cant dont doesnt didnt wont isnt
        arent wasnt werent""",
    negation_ahead="without",
    negation_again="nor neither",
    # Klima (1964), Negation in English: at its start, subject and auxiliary change places. "At no cost" and "in no time" deny none.
    negation_phrases="""under no circumstances|under no circumstance|under no condition|under no conditions|in no case|in no event|in no way|
        in no manner|in no circumstances|in no respect|in no sense|on no grounds|at no time|at no point|at no stage|by no means|
        on no account|on no condition|on no occasion|to nobody|to no one|by nobody|by no one|of nobody|of no one|from nobody|
        from no one|on nobody|on no one|about nobody|about no one""",
    no_negation="""not only|not just|not merely|not least|not until|no doubt|no matter|no sooner|no wonder|nothing but|
        none other""",
    relative="who whom which that",
    relative_others="who whom which whose where why how what",
    relative_ends="whose where when why",
    possessive="my your his her its our their whose",
    articles="a an the",
    determiners="a an the this these all some any no every",
    times="""second minute hour day week weekend month quarter year decade century morning noon afternoon evening night midnight dawn dusk
        sunrise sunset o'clock am pm a.m. p.m. deadline tonight today tomorrow yesterday season spring summer autumn winter moment time
        while monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
        october november december christmas easter""",
    time_verbs="""take spend have enjoy waste find set serve make get give save need choose lose kill pass use mark know love like
        prefer change handle be""",
    time_prepositions="on in at",
    agents="by",
    born="born",
    means="""car bus train plane air ship boat ferry sea land road rail bike bicycle taxi truck foot hand mail post email e-mail phone fax
        letter airmail check cheque cash card transfer mistake accident chance surprise force default law right virtue means way reason
        order vote""",
    body_parts="arm hand neck throat hair leg wrist ear collar shoulder sleeve",
    amounts="""percent % half third quarter points cents dollars euros margin nose inch kilo pound gram litre liter metre meter mile yard
        hour dozen""",
    places="""here there everywhere somewhere anywhere nowhere home abroad upstairs downstairs indoors outdoors inside outside nearby
        overseas elsewhere""",
    place_prepositions="""in at on near under over above below behind inside outside within between beside beyond across along around
        through toward towards into onto throughout off against amid among""",
    directions="from to",
    motion="""go come move travel return fly drive walk run ride sail arrive leave depart escape flee migrate emigrate immigrate march
        transfer send bring take carry ship head journey""",
    modals="can ca could may might must shall should will would wo 'll ’ll 'd ’d ought",
    ability="can ca could",
    future="will 'll ’ll wo",
    pro_verbs="do have be",
    # Levin (1993), English Verb Classes and Alternations, section 37 (verbs of communication), and common ones of fiction and news
    speech="""say reply ask answer cry whisper shout exclaim sigh murmur mutter add explain remark respond declare announce admit agree
        insist warn note observe continue demand inquire yell laugh suggest argue claim report conclude complain write speak think""",
    # Levin (1993), section 6.1: verbs of locative inversion
    locative="""be stand lie lay sit hang come go walk run fall live appear emerge rise arrive grow lurk hide fly march drive ride sail
        swim crawl climb flow float loom remain rest follow dwell wait stretch extend roll step jump spring leap rush shine sleep drift
        sink""",
    no_addressee="say reply sigh cry exclaim",
    nominative="i he she we they",
    oblique="me him them us whom myself himself herself themselves each",
    placed="here there then next now thus so away back",
    ways="up down off out in over along round past by",
    of="of",
    happening="""arrival death fall rise birth growth departure existence presence absence emergence appearance disappearance decline
        collapse failure success life sleep journey visit escape flight march retreat return coming end beginning""",
    conditions="""if|unless|provided that|providing that|provided|providing|assuming that|assuming|supposing that|supposing|as long as|
        so long as|in case of|in case|on condition that|on the condition that|except as|except if|except to the extent that|
        except to the extent|in the event that|in the event of|in the event""",
    condition_marks="if unless provided providing assuming supposing long",
    condition_participles="provided providing assuming supposing",
    condition_verbs="should had were",
    no_condition="even as what than like",
    only="only",
    asking="""ask wonder know see check tell determine decide find learn doubt question test inquire enquire verify ensure figure discover
        care matter say hear remember sure certain uncertain unsure doubtful curious unclear clear idea""",
    asked="if",
    contrasts="but",
    alternatives="or nor",
    inverting="so neither nor",
    correlatives="either neither both",
    that="that",
    open="whether lest before until till case though_as",
    doubt="perhaps maybe possibly probably allegedly reportedly",
    quantified="any anyone anybody anything every everyone everybody each no whoever",
    quantifiers="""no nobody none nothing all every everyone everybody everything each any anyone anybody anything whoever whatever few most
        only""",
    not_asserted="""if|unless|whether|lest|or|nor|either|neither|without|than|so that|in case|in order|as though|provided|providing|
        instead of|suppose|supposing|assuming|until|to|as|like""",
    asserted_of_past="when|whenever|once|before|after|while|as soon as|as long as|so long as",
    additive="and",
    not_only="not only|not just|not merely|not simply",
    # Karttunen (2012), Simple and Phrasal Implicatives
    signatures={
        "+-": """manage remember happen bother dare deign begin start continue come proceed use keep_ing turn become remain stay succeed
            courage nerve kind wise stupid brave foolish""",
        "-+": "fail forget neglect omit refrain abstain desist avoid escape stop_ing cease quit_ing failure",
        "-o": """refuse decline prevent prohibit prohibited forbid forbidden ban bar preclude hinder deter dissuade discourage stop_from
            keep_from unable unwilling impossible refusal inability prohibition""",
        "+o": "force make cause compel oblige lead help see hear watch finish_ing",
        "o-": "able allow permit let enable authorize possible ability chance permission",
        "o+": "hesitate",
        "++": """know_that realize_that regret_that remember_that forget_that notice_that discover_that learn_that admit_that regret_ing
            glad happy sorry sad proud""",
    },
)
