"""French. Forms of verbs stand beside their infinitives, for pipelines without lemmas."""

from .words import make_words

WORDS = make_words(
    negation="""ne n' n’ pas jamais aucun aucune rien sans ni nullement aucunement guère nul nulle""",
    negation_ahead="sans",
    negation_again="ni",
    negation_half="ne n' n’",
    negation_with_half="plus personne point",
    negation_phrases="en aucun cas|en aucune façon|en aucune manière|à aucun moment|sous aucun prétexte",
    no_negation="pas seulement|pas uniquement|sans doute|rien que",
    relative="qui que qu' qu’",
    relative_others="dont où lequel laquelle lesquels lesquelles duquel auquel",
    relative_ends="dont où lequel laquelle lesquels lesquelles",
    possessive="mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs",
    articles="le la les l' l’ un une des",
    determiners="le la l' l’ les un une des du au aux ce cet cette ces chaque tout toute tous toutes quelques",
    times="""seconde secondes minute minutes heure heures jour jours journée journées semaine semaines mois an ans année années décennie
        décennies siècle siècles matin midi soir soirée nuit minuit hier demain aujourd'hui aujourd’hui moment temps printemps été automne
        hiver lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril mai juin juillet août septembre octobre
        novembre décembre noël pâques""",
    having="avoir ai as a avons avez ont avais avait avaient eut aura auront",
    time_verbs="""avoir ai as a avons avez avait avaient ont passer passe passé passa prendre prend pris perdre perdu trouver choisir choisi aimer aime falloir
        faut fêter fêté donner""",
    time_prepositions="à en au le",
    agents="par",
    born="né née nés nées",
    means="""hasard erreur accident avion train bateau bus voiture téléphone courrier poste mail écrit exemple défaut nature
        force""",
    body_parts="bras main cou gorge cheveux jambe oreille épaule manche",
    amounts="pourcent % moitié tiers quart points dollars euros mètres",
    places="ici là partout ailleurs dehors dedans dessus dessous là-bas",
    place_prepositions="dans à au aux en sur sous chez près derrière devant entre vers parmi contre",
    directions="de d' d’ du des jusqu'à depuis",
    motion="""aller va vont allait allé allée allés venir vient viennent venait venu venue venus partir part parti partie partis voyager
        voyage voyagé revenir revient revenu revenue retourner retourne retourné voler marcher marche marché courir court couru arriver
        arrive arrivé arrivée arrivent fuir fuit fui amener amené envoyer envoie envoyé""",
    modals="""pouvoir peut peux peuvent pouvait pouvaient pourra pourront pourrait pourraient pu devoir doit dois doivent devait devaient
        devra devront devrait devraient falloir faut fallait faudra faudrait""",
    ability="pouvoir peut peux peuvent pouvait pouvaient",
    speech="""dire dit disent disait demander demande demanda répondre répond répondit crier crie cria murmurer murmure murmura ajouter
        ajoute ajouta expliquer explique expliqua s'écrier écria soupirer soupira déclarer déclare déclara affirmer affirme affirma
        écrire écrit écrivit""",
    no_addressee="dire dit disait soupirer soupira",
    nominative="je tu il elle on ils elles",
    oblique="me te lui leur se eux",
    of="de du d' d’ des",
    happening="""arrivée mort chute naissance croissance départ retour fin début disparition déclin échec succès vie voyage
        fuite""",
    conditions="""si|s'|s’|à moins que|à moins qu'|à moins qu’|à moins de|pourvu que|pourvu qu'|pourvu qu’|
        à condition que|à condition qu'|à condition qu’|à condition de|à condition d'|au cas où|en cas de|en cas d'|pour peu que""",
    condition_marks="si s' s’",
    no_condition="même comme",
    only="seulement",
    asking="demander demande savoir sait sais voir vérifier vérifie vérifiez dire décider ignorer ignore",
    asked="si s' s’",
    contrasts="mais",
    alternatives="ou ni",
    correlatives="soit",
    that="que qu' qu’",
    open="avant jusqu'à",
    doubt="peut-être probablement sans-doute éventuellement",
    quantified="chaque tout toute tous toutes quiconque",
    quantifiers="""aucun aucune personne rien chaque tout toute tous toutes quiconque seul seule""",
    not_asserted="""si|s'|s’|ou|ni|soit|sans|sinon|à moins|pour que|afin|au lieu|pourvu|à condition|jusqu'à|
        plutôt""",
    asserted_of_past="quand|lorsque|dès que|avant|après que|tant que",
    additive="et",
    not_only="non seulement|",
    signatures={
        "-o": """refuser refuse refusé refusa refusent interdire interdit empêcher empêche empêché incapable impossible""",
        "-+": """oublier oublie oublié négliger néglige négligé éviter évite évité cesser cesse cessé arrêter arrête arrêté omettre
            omis""",
        "+-": "réussir réussit réussi parvenir parvient parvenu commencer commence commencé continuer continue continué oser ose osé",
        "+o": "forcer force forcé obliger oblige obligé aider aide aidé",
        "o-": "permettre permet permis autoriser autorise autorisé capable possible",
    },
)
