"""French."""

from .words import make_words

WORDS = make_words(
    negation="ne n' n’ pas jamais aucun aucune rien sans ni nullement aucunement",
    negation_ahead="sans",
    negation_again="ni",
    negation_phrases="en aucun cas|en aucune façon|en aucune manière|à aucun moment|sous aucun prétexte",
    relative="qui que qu' qu’",
    relative_others="dont où lequel laquelle lesquels lesquelles duquel auquel",
    relative_ends="dont où lequel laquelle lesquels lesquelles",
    possessive="mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs",
    articles="le la les l' l’ un une des",
    determiners="le la l' l’ les un une des du au aux",
    times="""seconde minute heure jour journée semaine mois an année siècle matin midi soir soirée nuit minuit hier demain aujourd'hui
        moment temps printemps été automne hiver lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril mai juin
        juillet août septembre octobre novembre décembre""",
    time_verbs="avoir passer prendre perdre trouver choisir aimer falloir fêter donner",
    time_prepositions="à en au le",
    means="""hasard erreur accident avion train bateau bus voiture téléphone courrier poste mail écrit exemple défaut nature
        force""",
    amounts="pourcent moitié",
    places="ici là partout ailleurs dehors dedans dessus dessous",
    place_prepositions="dans à au aux en sur sous chez près derrière devant entre vers parmi",
    directions="de jusqu'à",
    motion="aller venir partir voyager revenir retourner voler marcher courir arriver fuir amener envoyer",
    modals="pouvoir devoir falloir",
    ability="pouvoir",
    speech="dire demander répondre crier murmurer ajouter expliquer s'écrier soupirer déclarer",
    no_addressee="dire",
    nominative="il elle ils elles",
    of="de du d' des",
    happening="arrivée mort chute naissance croissance départ retour fin début",
    conditions="""si|s'|s’|à moins que|à moins qu'|pourvu que|pourvu qu'|à condition que|à condition de|au cas où|
        en cas de""",
    condition_marks="si",
    no_condition="même comme et",
    only="seulement",
    asking="demander savoir voir vérifier dire décider ignorer",
    asked="si s' s’",
    contrasts="mais",
    alternatives="ou ni",
    correlatives="soit",
    that="que qu'",
    open="avant",
    doubt="peut-être",
    quantifiers="""aucun aucune personne rien chaque tout toute tous toutes quiconque seul seule""",
    not_asserted="""si|s'|s’|ou|ni|soit|sans|sinon|à moins|pour que|afin|au lieu|pourvu|à condition|jusqu'à|
        plutôt""",
    asserted_of_past="quand|lorsque|dès que|avant|après que|tant que",
    additive="et",
    not_only="non seulement|",
    signatures={
        "-o": "refuser interdire empêcher",
        "-+": "oublier négliger éviter",
        "+-": "réussir",
    },
)
