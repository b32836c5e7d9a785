"""German. Forms of verbs stand beside their infinitives, for pipelines without lemmas."""

from .words import make_words

WORDS = make_words(
    negation="""nicht nie niemals kein keine keinen keinem keiner keines niemand niemanden niemandem nichts ohne weder keinesfalls
        keineswegs nirgends nirgendwo kaum""",
    negation_ahead="ohne",
    negation_again="noch weder",
    negation_phrases="""auf keinen fall|auf keinem fall|in keinem fall|unter keinen umständen|in keiner weise|
        zu keiner zeit""",
    no_negation="nicht nur|nicht bloß|nicht zuletzt|nichts als",
    relative="der die das den dem denen welcher welche welches welchen welchem",
    relative_others="dessen deren wo warum wie was wer wann wodurch womit worauf worin",
    separable="""ab an auf aus bei bereit da ein entgegen fehl fern fest fort frei gegenüber gut heim her hin hoch kennen klar
        los mit nach nieder statt teil um vor weg weiter wieder zu""",
    relative_ends="dessen deren",
    possessive="""mein meine meinen meinem meiner dein deine deinen sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer unser
        unsere unseren unserem euer eure""",
    articles="der die das den dem des ein eine einen einem einer eines",
    determiners="""ein eine einen einem einer eines dieser diese dieses diesen diesem jeder jede jedes alle einige kein
        keine keinen""",
    times="""sekunde sekunden minute minuten stunde stunden tag tage tagen woche wochen wochenende monat monate monaten monats jahr
        jahre jahren jahres jahrzehnt jahrzehnte jahrzehnten jahrhundert jahrhunderts jahrhunderte morgen mittag nachmittag abend nacht
        mitternacht heute gestern zeit augenblick moment frühling sommer herbst winter montag dienstag mittwoch donnerstag freitag
        samstag sonntag januar februar märz april mai juni juli august september oktober november dezember weihnachten ostern""",
    having="haben habe hast hat habt hatte hatten hattest hattet",
    time_verbs="haben habe hast hat habt hatte hatten verbringen verbringt verbrachte brauchen braucht nehmen finden verlieren wählen feiern feierte lieben geben",
    time_prepositions="an am im in um",
    agents="von vom durch",
    born="geboren",
    being="bin bist ist sind seid war warst waren wart sei seist seien wäre wärst wären sein gewesen",
    no_passive="""gangen kommen fahren flogen laufen fallen stiegen sunken wachsen worden wesen blieben storben reist flohen flüchtet
        standen schwunden schienen schehen passiert gelungen lungen getreten gekehrt wandert sprungen stürzt rannt schwommen scheitert
        geraten landet startet gefolgt erfolgt gegnet wacht schlafen plodiert platzt trunken froren zerbrochen ausgebrochen
        aufgebrochen schrumpft umgezogen eingezogen weggezogen fortgezogen rutscht glitten gerückt schollen loschen geheilt gereift
        altert erkrankt gestoßen gestossen gesickert gelangt geeilt stagniert verreist gehauen gekrochen geklettert""",
    means="hand zufall versehen post bahn bus auto schiff flugzeug telefon e-mail natur gesetz",
    body_parts="arm hand hals haar haaren bein ohr kragen schulter ärmel",
    amounts="prozent % hälfte drittel viertel punkte dollar euro meter",
    places="hier dort da überall irgendwo nirgends daheim draußen drinnen oben unten anderswo zuhause",
    place_prepositions="""in im ins an am ans auf aufs bei beim unter unterm über überm hinter neben zwischen vor vorm innerhalb
        außerhalb durch entlang gegenüber unweit""",
    directions="von vom aus nach zu zum zur",
    motion="""gehen geht ging gingen gegangen kommen kommt kam kamen gekommen ziehen zieht zog zogen gezogen reisen reist reiste reisten
        gereist fahren fährt fuhr fuhren gefahren fliegen fliegt flog flogen geflogen laufen läuft lief gelaufen zurückkehren kehrt
        kehrte kehrten zurückgekehrt fliehen flieht floh flohen geflohen bringen bringt brachte brachten gebracht schicken schickt
        schickte geschickt""",
    modals="""können kann kannst könnt konnte konnten könnte könnten dürfen darf durfte durften dürfte dürften müssen muss muß musste
        mussten müsste müssten sollen soll sollte sollten wollen will wollte wollten mögen mag mochte mochten möchte möchten werden wird
        werde würde würden""",
    ability="können kann kannst könnt konnte konnten",
    future="werden wird werde",
    speech="""sagen sagt sagte sagten fragen fragt fragte fragten antworten antwortet antwortete rufen ruft rief riefen flüstern flüstert
        flüsterte schreien schreit schrie erklären erklärt erklärte erklärten erwidern erwiderte meinen meint meinte meinten murmeln
        murmelte seufzen seufzte schreiben schreibt schrieb""",
    no_addressee="sagen sagt sagte sagten seufzen seufzte meinen meint meinte",
    nominative="ich du er sie wir ihr man",
    oblique="mich dich ihn uns euch mir dir ihm ihnen sich",
    of="von vom",
    happening="""ankunft tod fall geburt wachstum abreise rückkehr ende beginn aufstieg niedergang flucht reise leben anfang
        zusammenbruch""",
    conditions="""wenn|falls|sofern|solange|es sei denn|vorausgesetzt|unter der bedingung|im falle|für den fall|
        soweit|im fall""",
    condition_marks="falls wenn sofern solange",
    condition_participles="vorausgesetzt",
    condition_verbs="""hätte hätten hättest hätt wäre wären wärst sollte sollten solltest würde würden könnte könnten müsste
        dürfte""",
    no_condition="auch als selbst sogar wie immer",
    only="nur",
    asking="""fragen fragt fragte wissen weiß wusste sehen prüfen prüft sagen entscheiden unklar ungewiss""",
    contrasts="aber sondern doch jedoch",
    alternatives="oder noch",
    correlatives="entweder weder sowohl",
    that="dass daß",
    open="ob bevor bis ehe",
    doubt="vielleicht möglicherweise wahrscheinlich vermutlich angeblich womöglich wohl",
    quantified="jeder jede jedes jeden jedem alle wer",
    quantifiers="""kein keine keinen keinem keiner niemand nichts jeder jede jedes jeden jedem wer wenige nur""",
    not_asserted="""wenn|falls|ob|sofern|damit|oder|noch|entweder|weder|ohne|statt|anstatt|es sei denn|um|
        vorausgesetzt|bis""",
    asserted_of_past="sobald|bevor|nachdem|solange|immer wenn",
    additive="und",
    not_only="nicht nur|",
    signatures={
        "-o": """verbieten verbietet verbot verboten hindern hindert hinderte gehindert verhindern verhindert verhinderte weigern weigert
            weigerte geweigert unfähig unmöglich""",
        "-+": """versäumen versäumt versäumte vergessen vergisst vergaß vermeiden vermeidet vermied vermieden unterlassen unterließ
            aufhören aufgehört""",
        "+-": "gelingen gelingt gelang gelungen schaffen schafft schaffte geschafft wagen wagt wagte gewagt beginnen beginnt begann begonnen",
        "+o": "zwingen zwingt zwang gezwungen lassen lässt ließ ließen helfen hilft half",
        "o-": "erlauben erlaubt erlaubte ermöglichen ermöglicht ermöglichte fähig möglich",
    },
)
