"""Who did what to whom in German: by words of the language and features, without tags and lemmas."""

import pytest
from ud_docs import said, ud_doc

# Graph, tree, and what the clauses say: head, subject, object, polarity, and what else there is
EXAMPLES = [
    (
        "[H [A [P|A [F Der] [C Bäcker]]] [F hat] [A [F das] [C Brot]] [D nicht] [P verkauft]] [U .]",
        """DET/1/det NOUN/6/nsubj AUX/6/aux/Mood=Ind|Tense=Pres|VerbForm=Fin DET/4/det NOUN/6/obj
        PART/6/advmod/Polarity=Neg VERB/6/ROOT/Tense=Past PUNCT/6/punct""",
        ["verkauft | Der Bäcker | das Brot | negative | not nicht"],
    ),
    (
        "[H [A|D Niemand] [P kannte] [A [F den] [E [S alten] [A* =1]] [C#1 Fischer]]] [U .]",
        """PRON/1/nsubj VERB/1/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin DET/4/det ADJ/4/amod NOUN/1/obj
        PUNCT/1/punct""",
        ["kannte | Niemand | den alten Fischer | negative | not Niemand"],
    ),
    (
        "[H [A Wir] [S haben] [A|D [Q keine] [C Milch]]] [U .]",
        """PRON/1/nsubj VERB/1/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin DET/3/det NOUN/1/obj PUNCT/1/punct""",
        ["haben | Wir | keine Milch | negative | not keine"],
    ),
    (
        "[H [A Er] [D kann] [T morgen] [D nicht] [P kommen]] [U .]",
        """PRON/4/nsubj AUX/4/aux/VerbForm=Fin NOUN/4/obl PART/4/advmod/Polarity=Neg VERB/4/ROOT/VerbForm=Inf
        PUNCT/4/punct""",
        ["kommen | Er | - | negative | not nicht | can kann | when morgen"],
    ),
    (
        "[H [A [F Das] [C Haus]] [F wurde] [A [R von] [F den] [C Nachbarn]] [P gebaut]] [U .]",
        """DET/1/det NOUN/6/nsubj:pass AUX/6/aux:pass/Mood=Ind|Tense=Past ADP/5/case DET/5/det NOUN/6/obl
        VERB/6/ROOT/Tense=Past PUNCT/6/punct""",
        ["gebaut | den Nachbarn | Das Haus | positive"],
    ),
    (
        "[H [A [F Die] [C Brücke]] [F wurde] [A [R durch] [F das] [C Hochwasser]] [P zerstört]] [U .]",
        """DET/1/det NOUN/6/nsubj:pass AUX/6/aux:pass/Mood=Ind|Tense=Past ADP/5/case DET/5/det NOUN/6/obl
        VERB/6/ROOT/Tense=Past PUNCT/6/punct""",
        ["zerstört | das Hochwasser | Die Brücke | positive"],
    ),
    (
        "[H [A [F Das] [C Land]] [F war] [A [R durch] [F die] [C Flut]] [P geteilt]] [U .]",
        """DET/1/det NOUN/6/nsubj AUX/6/aux/Mood=Ind|Tense=Past ADP/5/case DET/5/det NOUN/6/obl
        VERB/6/ROOT/Tense=Past|VerbForm=Part PUNCT/6/punct""",
        ["geteilt | die Flut | Das Land | positive"],
    ),
    (
        "[H [A [F Das] [C Schiff]] [F war] [P angekommen]] [U .]",
        """DET/1/det NOUN/3/nsubj AUX/3/aux/Mood=Ind|Tense=Past VERB/3/ROOT/Tense=Past|VerbForm=Part PUNCT/3/punct""",
        ["angekommen | Das Schiff | - | positive"],
    ),
    (
        "[H [A Anna] [F wurde] [A [R in] [C Graz]] [S geboren]] [U .]",
        """PROPN/4/nsubj AUX/4/cop/Mood=Ind|Tense=Past ADP/3/case PROPN/4/obl VERB/4/ROOT/Tense=Past
        PUNCT/4/punct""",
        ["geboren | Anna | - | positive | where in Graz"],
    ),
    (
        "[L Wenn] [H [A es] [P regnet]] [U ,] [H [P bleiben] [A wir]] [U .]",
        """SCONJ/2/mark PRON/2/nsubj VERB/4/advcl/VerbForm=Inf PUNCT/2/punct
        VERB/4/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin PRON/4/nsubj PUNCT/4/punct""",
        ["regnet | es | - | unknown", "bleiben | wir | - | unknown | if es regnet"],
    ),
    (
        "[L Falls] [H [A du] [A [C Zeit]] [S hast]] [U ,] [H [P#1 ruf] [A mich] [P#1- an]] [U .]",
        """SCONJ/3/mark PRON/2/nsubj NOUN/3/obj AUX/5/advcl/Mood=Ind|Tense=Past PUNCT/3/punct
        VERB/5/ROOT/Mood=Imp|VerbForm=Fin PRON/5/obj ADP/5/compound:prt PUNCT/5/punct""",
        ["hast | du | Zeit | unknown", "ruf | - | mich | unknown | if du Zeit hast"],
    ),
    (
        "[L Auch wenn] [H [A es] [P regnet]] [U ,] [H [P gehen] [A wir]] [U .]",
        """ADV/3/mark SCONJ/3/mark PRON/3/nsubj VERB/5/advcl PUNCT/3/punct
        VERB/5/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin PRON/5/nsubj PUNCT/5/punct""",
        ["regnet | es | - | unknown", "gehen | wir | - | unknown"],
    ),
    (
        "[H [P Hätte] [A er] [A Geld]] [U ,] [H [D würde] [A er] [A [F das] [C Haus]] [P kaufen]] [U .]",
        """VERB/0/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin PRON/0/nsubj NOUN/0/obj PUNCT/8/punct
        VERB/8/aux/Mood=Cnd|Tense=Pres|VerbForm=Fin PRON/8/nsubj DET/7/det NOUN/8/obj
        VERB/0/conj/VerbForm=Inf PUNCT/0/punct""",
        [
            "Hätte | er | Geld | unknown",
            "kaufen | er | das Haus | unknown | can würde | if er Geld",
        ],
    ),
    (
        "[H [A Sie] [P fragte] [U ,] [A [R ob] [A [F der] [C Zug]] [P kommt]]] [U .]",
        """PRON/1/nsubj VERB/1/ROOT/Mood=Ind|Tense=Past PUNCT/6/punct SCONJ/6/mark DET/5/det NOUN/6/nsubj
        VERB/1/ccomp/Mood=Ind|Tense=Pres|VerbForm=Fin PUNCT/1/punct""",
        ["fragte | Sie | - | positive", "kommt | der Zug | - | unknown"],
    ),
    (
        "[H [A Sie] [S weint]] [U ,] [L weil] [H [A [E ihr] [C Hund]] [S krank] [F ist]] [U .]",
        """PRON/1/nsubj VERB/1/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin PUNCT/6/punct SCONJ/6/mark
        DET/5/nmod:poss/Poss=Yes NOUN/6/nsubj ADJ/1/advcl AUX/6/cop/Mood=Ind|Tense=Pres|VerbForm=Fin
        PUNCT/1/punct""",
        ["weint | Sie | - | positive", "krank | ihr Hund | - | positive"],
    ),
    (
        "[H [F Es] [S gibt] [A [F ein] [C Problem]]] [U .]",
        """PRON/1/expl VERB/1/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin DET/3/det NOUN/1/obj PUNCT/1/punct""",
        ["gibt | ein Problem | - | positive"],
    ),
    (
        "[H [A [F Der] [C#1 Mann] [U ,] [E [R der] [A [F den] [C Wagen]] [P kaufte] [A* =1]]] [U ,] [P lachte]] [U .]",
        """DET/1/det NOUN/8/nsubj PUNCT/6/punct PRON/6/nsubj/PronType=Dem,Rel DET/5/det NOUN/6/obj
        VERB/1/acl:relcl/Mood=Ind|Tense=Past PUNCT/6/punct VERB/8/ROOT/Mood=Ind|Tense=Past PUNCT/8/punct""",
        [
            "lachte | Der Mann , der den Wagen kaufte | - | positive",
            "kaufte | Mann | den Wagen | positive",
        ],
    ),
    (
        "[H [A [F Das] [C#1 Buch] [U ,] [E [R das] [A sie] [P schrieb] [A* =1]]] [U ,] [F ist] [S gut]] [U .]",
        """DET/1/det NOUN/8/nsubj PUNCT/5/punct PRON/5/obj/PronType=Dem,Rel PRON/5/nsubj
        VERB/1/acl:relcl/Mood=Ind|Tense=Past PUNCT/5/punct AUX/8/cop/Mood=Ind|Tense=Pres|VerbForm=Fin
        ADJ/8/ROOT PUNCT/8/punct""",
        ["gut | Das Buch , das sie schrieb | - | positive", "schrieb | sie | Buch | positive"],
    ),
    (
        "[H [A Sie] [P singt] [D [E nicht] [C nur]]] [U ,] [H [A sie] [P tanzt] [D auch]] [U .]",
        """PRON/1/nsubj VERB/1/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin PART/3/advmod/Polarity=Neg ADV/1/advmod
        PUNCT/6/punct PRON/6/nsubj VERB/1/parataxis/Mood=Ind|Tense=Pres|VerbForm=Fin ADV/6/advmod
        PUNCT/1/punct""",
        ["singt | Sie | - | positive", "tanzt | sie | - | positive"],
    ),
    (
        "[H [T [R Am] [C Montag]] [P reiste] [A Paul] [A [R nach] [C Wien]]] [U .]",
        """ADP/1/case NOUN/2/obl VERB/2/ROOT/Mood=Ind|Tense=Past PROPN/2/nsubj ADP/5/case PROPN/2/obl
        PUNCT/2/punct""",
        ["reiste | Paul | - | positive | when Am Montag | where nach Wien"],
    ),
    (
        "[H [A [U „] [A Ich] [P komme]] [U “] [U ,] [P sagte] [A [F der] [C Junge]]] [U .]",
        """PUNCT/2/punct PRON/2/nsubj VERB/5/ccomp/VerbForm=Inf PUNCT/2/punct PUNCT/2/punct
        VERB/5/ROOT/Mood=Ind|Tense=Past|VerbForm=Fin DET/7/det NOUN/5/nsubj PUNCT/5/punct""",
        ["sagte | der Junge | - | positive", "komme | Ich | - | unknown"],
    ),
    (
        "[H [A [P|A [F Der] [C#1 Lehrer]]] [P weigerte sich] [U ,] [A [A [F den] [C Brief]] [F zu] [P lesen] [A* =1]]] [U .]",
        """DET/1/det NOUN/2/nsubj VERB/2/ROOT/Mood=Ind|Tense=Past|VerbForm=Fin PRON/2/obj/Reflex=Yes
        PUNCT/8/punct DET/6/det NOUN/8/obj PART/8/mark VERB/2/xcomp/VerbForm=Inf PUNCT/2/punct""",
        ["weigerte | Der Lehrer | sich | positive", "lesen | Lehrer | den Brief | negative"],
    ),
    (
        "[H [P Öffne] [A [F das] [C Fenster]] [A IMPLICIT]] [U !]",
        """VERB/0/ROOT/Mood=Imp|VerbForm=Fin DET/2/det NOUN/0/obj PUNCT/0/punct""",
        ["Öffne | - | das Fenster | unknown"],
    ),
    (
        "[H [A Peter] [S wohnt] [A [R im] [C Dorf]]] [U .]",
        """PROPN/1/nsubj VERB/1/ROOT/Mood=Ind|Tense=Pres|VerbForm=Fin ADP/3/case NOUN/1/obl PUNCT/1/punct""",
        ["wohnt | Peter | - | positive | where im Dorf"],
    ),
    (
        "[H [A Sie] [D will] [A [F den] [C Garten]] [D nicht] [P verlassen]] [U .]",
        """PRON/5/nsubj AUX/5/aux/Mood=Ind|Tense=Pres DET/3/det NOUN/5/obj PART/5/advmod/Polarity=Neg
        VERB/5/ROOT/VerbForm=Inf PUNCT/5/punct""",
        ["verlassen | Sie | den Garten | unknown | not nicht | can will"],
    ),
]


@pytest.mark.parametrize(("graph", "tree", "clauses"), EXAMPLES)
def test_clauses(graph: str, tree: str, clauses: list[str]) -> None:
    assert said(ud_doc("de", graph, tree)) == clauses
