"""Who did what to whom in French: by words of the language and features, without tags and lemmas."""

import pytest
from ud_docs import said, ud_doc

# Graph, tree, and what the clauses say: head, subject, object, polarity, and what else there is
EXAMPLES = [
    (
        "[H [A [F Le] [C boulanger]] [D n'] [F a] [D pas] [P vendu] [A [F le] [C pain]]] [U .]",
        """DET/1/det NOUN/5/nsubj ADV/5/advmod/Polarity=Neg AUX/5/aux/Mood=Ind|Tense=Pres|VerbForm=Fin
        ADV/5/advmod/Polarity=Neg VERB/5/ROOT/Tense=Past|VerbForm=Part DET/7/det NOUN/5/obj PUNCT/5/punct""",
        ["vendu | Le boulanger | le pain | negative | not pas"],
    ),
    (
        "[H [A Personne] [D ne] [S connaît] [A [P|A [E ce] [C pêcheur]]]] [U .]",
        """NOUN/2/nsubj ADV/2/advmod/Polarity=Neg VERB/2/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin DET/4/det
        NOUN/2/obj PUNCT/2/punct""",
        ["connaît | Personne | ce pêcheur | negative | not Personne"],
    ),
    (
        "[H [A#1 Il] [D ne] [P mange] [A [R que] [A [F du] [C pain]] [A* =1] [P IMPLICIT]]] [U .]",
        """PRON/2/nsubj ADV/2/advmod/Polarity=Neg VERB/2/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin ADV/5/advmod
        DET/5/det NOUN/2/obj PUNCT/2/punct""",
        ["mange | Il | que du pain | positive"],
    ),
    (
        "[H [A Elle] [D ne] [P travaille] [D plus]] [U .]",
        """PRON/2/nsubj ADV/2/advmod/Polarity=Neg VERB/2/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin ADV/2/advmod
        PUNCT/2/punct""",
        ["travaille | Elle | - | negative | not plus"],
    ),
    (
        "[H [A Il] [P travaille] [D plus]] [U .]",
        """PRON/1/nsubj VERB/1/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin ADV/1/advmod PUNCT/1/punct""",
        ["travaille | Il | - | positive"],
    ),
    (
        "[H [A Nous] [D n'] [S#1 [F avons]] [D aucun] [S#1- [C problème]]] [U .]",
        """PRON/2/nsubj ADV/2/advmod/Polarity=Neg VERB/2/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin DET/4/det
        NOUN/2/obj PUNCT/2/punct""",
        ["avons | Nous | aucun problème | negative | not aucun"],
    ),
    (
        "[H [A Pierre] [D ne] [D peut] [D pas] [P venir] [T demain]] [U .]",
        """PROPN/2/nsubj ADV/2/advmod/Polarity=Neg AUX/2/ROOT/VerbForm=Fin ADV/4/advmod/Polarity=Neg
        VERB/2/xcomp/VerbForm=Inf NOUN/4/advmod PUNCT/2/punct""",
        ["venir | Pierre | - | negative | not pas | can peut | when demain"],
    ),
    (
        "[H [A [F La] [C maison]] [F a] [F été] [P construite] [A [R par] [S|A [F les] [C voisins]]]] [U .]",
        """DET/1/det NOUN/4/nsubj:pass AUX/4/aux/Mood=Ind|Tense=Pres|VerbForm=Fin
        AUX/4/aux:pass/Tense=Past|VerbForm=Part VERB/4/ROOT/Tense=Past|VerbForm=Part ADP/7/case DET/7/det
        NOUN/4/obl PUNCT/4/punct""",
        ["construite | les voisins | La maison | positive"],
    ),
    (
        "[H [A Anna] [F est] [P née] [A [R à] [C Lyon]]] [U .]",
        """PROPN/2/nsubj AUX/2/aux:pass/Mood=Ind|Tense=Pres|VerbForm=Fin VERB/2/ROOT/Tense=Past|VerbForm=Part
        ADP/4/case PROPN/2/obl PUNCT/2/punct""",
        ["née | Anna | - | positive | where à Lyon"],
    ),
    (
        "[L S'] [H [A il] [P pleut]] [U ,] [H [A nous] [P restons]] [U .]",
        """SCONJ/2/mark PRON/2/nsubj VERB/5/advcl/VerbForm=Inf PUNCT/2/punct PRON/5/nsubj
        VERB/5/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin PUNCT/5/punct""",
        ["pleut | il | - | unknown", "restons | nous | - | unknown | if il pleut"],
    ),
    (
        "[L Si] [H [A#1 tu] [S as] [A [F le] [C temps]]] [U ,] [H [P appelle] [A [A ta] [S|A mère]] [A* =1]] [U .]",
        """SCONJ/2/mark PRON/2/nsubj VERB/6/advcl/Mood=Ind|Tense=Pres|VerbForm=Fin DET/4/det NOUN/2/obj
        PUNCT/2/punct VERB/6/ROOT/Mood=Imp|VerbForm=Fin DET/8/det/Poss=Yes NOUN/6/obj PUNCT/6/punct""",
        ["as | tu | le temps | unknown", "appelle | - | ta mère | unknown | if tu as le temps"],
    ),
    (
        "[L Même s'] [H [A il] [P pleut]] [U ,] [H [A nous] [P partons]] [U .]",
        """ADV/3/advmod SCONJ/3/mark PRON/3/nsubj VERB/6/advcl/VerbForm=Inf PUNCT/3/punct PRON/6/nsubj
        VERB/6/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin PUNCT/6/punct""",
        ["pleut | il | - | unknown", "partons | nous | - | unknown"],
    ),
    (
        "[H [A Tu] [D peux] [S rester] [A [R à] [C condition] [E [R que] [A tu] [P paies] [A [F le] [C loyer]]]]] [U .]",
        """PRON/1/nsubj VERB/1/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin VERB/1/xcomp/VerbForm=Inf ADP/4/case
        NOUN/2/obl SCONJ/7/mark PRON/7/nsubj VERB/4/acl:relcl/VerbForm=Inf DET/9/det NOUN/7/obj
        PUNCT/1/punct""",
        [
            "rester | Tu | - | unknown | can peux | if tu paies le loyer",
            "paies | tu | le loyer | unknown",
        ],
    ),
    (
        "[H [A Elle] [P demande] [A [R si] [A [F le] [C train]] [P arrive]]] [U .]",
        """PRON/1/nsubj VERB/1/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin SCONJ/5/mark DET/4/det NOUN/5/nsubj
        VERB/1/ccomp/VerbForm=Inf PUNCT/1/punct""",
        ["demande | Elle | - | positive", "arrive | le train | - | unknown"],
    ),
    (
        "[H [A Elle] [P pleure]] [L parce] [L que] [H [A [E [S|A son] [A* =1]] [C#1 chien]] [F est] [S malade]] [U .]",
        """PRON/1/nsubj VERB/1/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin SCONJ/7/mark SCONJ/7/mark
        DET/5/det/Poss=Yes NOUN/7/nsubj AUX/7/cop/Mood=Ind|Tense=Pres|VerbForm=Fin ADJ/1/advcl PUNCT/1/punct""",
        ["pleure | Elle | - | positive", "malade | son chien | - | positive"],
    ),
    (
        "[H [F Il] [F y] [F a] [P [F un] [C problème]]] [U .]",
        """PRON/1/expl PRON/2/expl VERB/2/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin DET/4/det NOUN/2/obj
        PUNCT/2/punct""",
        ["a | un problème | - | positive"],
    ),
    (
        "[H [A [F L'] [C#1 homme] [E [R qui] [P achète] [A [F la] [C voiture]] [A* =1]]] [F est] [S riche]] [U .]",
        """DET/1/det NOUN/7/nsubj PRON/3/nsubj/PronType=Rel VERB/1/acl:relcl/Mood=Ind|Tense=Pres|VerbForm=Fin
        DET/5/det NOUN/3/obj AUX/7/cop/Mood=Ind|Tense=Pres|VerbForm=Fin ADJ/7/ROOT PUNCT/7/punct""",
        [
            "riche | L' homme qui achète la voiture | - | positive",
            "achète | homme | la voiture | positive",
        ],
    ),
    (
        "[H [A [F Le] [C#1 livre] [E [R qu'] [A elle] [P écrit] [A* =1]]] [F est] [S bon]] [U .]",
        """DET/1/det NOUN/6/nsubj ADP/4/obj PRON/4/nsubj VERB/1/acl:relcl/VerbForm=Inf
        AUX/6/cop/Mood=Ind|Tense=Pres|VerbForm=Fin ADJ/6/ROOT PUNCT/6/punct""",
        ["bon | Le livre qu' elle écrit | - | positive", "écrit | elle | livre | positive"],
    ),
    (
        "[H [A#1 Il] [P part]] [L#2 sans] [H [P fermer] [A [F la] [C porte]] [A* =1] [D* =2]] [U .]",
        """PRON/1/nsubj VERB/1/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin ADP/3/mark VERB/1/advcl/VerbForm=Inf
        DET/5/det NOUN/3/obj PUNCT/1/punct""",
        ["part | Il | - | positive", "fermer | Il | la porte | negative | not sans"],
    ),
    (
        "[H [A Elle] [P sort]] [L avant] [L qu'] [H [A il] [D ne] [P revienne]] [U .]",
        """PRON/1/nsubj VERB/1/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin ADP/6/mark SCONJ/6/mark PRON/6/nsubj
        ADV/6/advmod/Polarity=Neg VERB/1/advcl/Mood=Sub|VerbForm=Fin PUNCT/1/punct""",
        ["sort | Elle | - | positive", "revienne | il | - | unknown"],
    ),
    (
        "[L Non seulement] [H [A il] [P chante]] [U ,] [L mais] [H [A il] [P danse] [D aussi]] [U .]",
        """PART/1/advmod/Polarity=Neg ADV/3/advmod PRON/3/nsubj VERB/3/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin
        PUNCT/7/punct CCONJ/7/cc PRON/7/nsubj VERB/3/conj/Mood=Ind|Tense=Pres|VerbForm=Fin ADV/7/advmod
        PUNCT/3/punct""",
        ["chante | il | - | positive", "danse | il | - | positive"],
    ),
    (
        "[H [A Paul] [P va] [A [R au] [C marché]] [T lundi]] [U .]",
        """PROPN/1/nsubj VERB/1/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin ADP/3/case NOUN/1/obl NOUN/1/obl
        PUNCT/1/punct""",
        ["va | Paul | - | positive | when lundi | where au marché"],
    ),
    (
        "[U «] [H [A [A Je] [P viens]] [U »] [U ,] [P dit] [A [F le] [C garçon]]] [U .]",
        """PUNCT/2/punct PRON/2/nsubj VERB/5/ccomp/VerbForm=Inf PUNCT/2/punct PUNCT/2/punct
        VERB/5/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin DET/7/det NOUN/5/nsubj PUNCT/5/punct""",
        ["dit | le garçon | - | positive", "viens | Je | - | unknown"],
    ),
    (
        "[H [A Elle] [S a] [A [F une] [C sœur]]] [U .]",
        """PRON/1/nsubj VERB/1/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin DET/3/det NOUN/1/obj PUNCT/1/punct""",
        ["a | Elle | une sœur | positive"],
    ),
    (
        "[H [A [P|A [F Le] [C professeur]]] [D refuse] [F de] [P lire] [A [F la] [C lettre]]] [U .]",
        """DET/1/det NOUN/2/nsubj VERB/2/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin ADP/4/mark
        VERB/2/xcomp/VerbForm=Inf DET/6/det NOUN/4/obj PUNCT/2/punct""",
        ["lire | Le professeur | la lettre | negative"],
    ),
    (
        "[H [P Ferme] [A [F la] [C porte]] [A IMPLICIT]] [U !]",
        """VERB/0/ROOT/Mood=Imp|VerbForm=Fin DET/2/det NOUN/0/obj PUNCT/0/punct""",
        ["Ferme | - | la porte | unknown"],
    ),
]


@pytest.mark.parametrize(("graph", "tree", "clauses"), EXAMPLES)
def test_clauses(graph: str, tree: str, clauses: list[str]) -> None:
    assert said(ud_doc("fr", graph, tree)) == clauses
