"""German."""

from .words import make_words

WORDS = make_words(
    negation="""nicht nie niemals kein keine keinen keinem keiner keines niemand nichts ohne weder keinesfalls
        keineswegs""",
    negation_ahead="ohne",
    negation_again="noch weder",
    negation_phrases="""auf keinen fall|auf keinem fall|in keinem fall|unter keinen umständen|in keiner weise|
        zu keiner zeit""",
    relative="der die das den dem denen welcher welche welches welchen welchem",
    relative_others="dessen deren wo warum wie was wer wann",
    relative_ends="dessen deren",
    possessive="mein meine meinen dein deine sein seine ihr ihre unser unsere euer eure",
    articles="der die das den dem des ein eine einen einem einer eines",
    determiners="ein eine einen einem einer eines",
    times="""sekunde minute stunde tag woche wochenende monat jahr jahrzehnt jahrhundert morgen mittag nachmittag abend nacht mitternacht
        heute gestern zeit augenblick frühling sommer herbst winter montag dienstag mittwoch donnerstag freitag samstag sonntag januar
        februar märz april mai juni juli august september oktober november dezember""",
    time_verbs="haben verbringen brauchen nehmen finden verlieren wählen feiern lieben geben",
    time_prepositions="an am im in um",
    means="hand zufall versehen post bahn bus auto schiff flugzeug telefon e-mail natur gesetz",
    amounts="prozent hälfte",
    places="hier dort da überall irgendwo nirgends daheim draußen drinnen oben unten anderswo",
    place_prepositions="in im ins an am auf bei unter über hinter neben zwischen vor innerhalb außerhalb durch",
    directions="von aus nach zu",
    motion="gehen kommen ziehen reisen fahren fliegen laufen zurückkehren fliehen bringen schicken",
    modals="können dürfen müssen sollen wollen mögen werden",
    ability="können",
    future="werden",
    speech="sagen fragen antworten rufen flüstern schreien erklären erwidern meinen murmeln seufzen",
    no_addressee="sagen",
    nominative="er sie wir",
    of="von",
    happening="ankunft tod fall geburt wachstum abreise rückkehr ende beginn",
    conditions="wenn|falls|sofern|solange|es sei denn|vorausgesetzt|unter der bedingung",
    condition_marks="falls wenn sofern",
    condition_participles="vorausgesetzt",
    no_condition="auch als selbst",
    only="nur",
    asking="fragen wissen sehen prüfen sagen entscheiden",
    contrasts="aber sondern",
    alternatives="oder noch",
    correlatives="entweder weder sowohl",
    that="dass",
    open="ob bevor bis",
    doubt="vielleicht",
    quantifiers="""kein keine keinen keinem keiner niemand nichts jeder jede jedes jeden jedem wer wenige nur""",
    not_asserted="""wenn|falls|ob|sofern|damit|oder|noch|entweder|weder|ohne|statt|anstatt|es sei denn|um|
        vorausgesetzt|bis""",
    asserted_of_past="sobald|bevor|nachdem|solange|immer wenn",
    additive="und",
    not_only="nicht nur|",
    signatures={
        "-o": "verbieten hindern verhindern weigern",
        "-+": "versäumen vergessen vermeiden",
    },
)
