"""Sentences with enhanced dependencies, as rows of CoNLL-U."""


def text(rows, *comments):
    return [*comments, *("\t".join(row.split()) for row in rows), ""]


# "Sue likes coffee and Bill tea": the second "likes" is an empty word.
GAPPING = text(
    (
        "1 Sue Sue PROPN NNP _ 2 nsubj 2:nsubj _",
        "2 likes like VERB VBZ _ 0 root 0:root _",
        "3 coffee coffee NOUN NN _ 2 obj 2:obj _",
        "4 and and CCONJ CC _ 5 cc 5.1:cc _",
        "5 Bill Bill PROPN NNP _ 2 conj 5.1:nsubj _",
        "5.1 likes like VERB VBZ _ _ _ 2:conj:and CopyOf=2",
        "6 tea tea NOUN NN _ 5 orphan 5.1:obj SpaceAfter=No",
        "7 . . PUNCT . _ 2 punct 2:punct _",
    ),
    "# sent_id = s-1",
    "# text = Sue likes coffee and Bill tea.",
)


# "He doesn't.", with a surface form of two words
DONT = text(
    (
        "1 He he PRON PRP _ 3 nsubj 3:nsubj|3:nsubj:xsubj _",
        "2-3 doesn't _ _ _ _ _ _ _ SpaceAfter=No",
        "2 does do AUX VBZ _ 0 root 0:root _",
        "3 n't not PART RB _ 2 advmod 2:advmod|1:obl:from _",
        "4 . . PUNCT . _ 2 punct 2:punct _",
    )
)

# Surface tokens, each with its words where it has several; "~" stands before one that no space divides from that before, and "_"
# for a no-break space in one
MULTIWORD = (
    "בבית=ב+ה+בית הלבן=ה+לבן ישבה הילדה=ה+ילדה ~.",
    "כשהלכתי=כש+הלכתי לביתם=ל+בית+של+הם ראיתי אותו=את+הוא ברחוב=ב+ה+רחוב ~.",
    "לו=ל+הוא היא נתנה ולו=ו+ל+הוא את שלה=של+היא בביתו=ב+בית+של+הוא",
    "לבית=ל+ה+בית לילד=ל+ה+ילד בבית=ב+ה+בית בבית=ב+בית",
    "בו=ב+הוא בה=ב+היא שָׁלוֹם לָעוֹלָם=ל+ה+עולם ~!",
    "للناس=ل+الناس لله=ل+الله وللمدينة=و+ل+المدينة تاريخ ~.",
    "مِنْهُ=من+ه عَمَّا=عن+ما سألت ~؟",
    "dalla=da+la sulla=su+la nell'=in+l' acqua mandargliela=mandar+gli+la ~.",
    "du=de+le pain auxquels=à+lesquels du=de+le jour des=de+les écoles ~.",
    "incontrarci=incontrar+ci nello=in+lo vámonos=vamos+nos al=a+el mar ~.",
    "tatrāgacchat=tatra+agacchat so'bravīt=saḥ+abravīt |",
    "ABD'deki=ABD'de+ki abychom=aby+bychom naň=na+něj ~.",
    "می\u200cخوانم کتابم=کتاب+م किताब=किताब ๆ",
    "ב=ב ~-=- ~2,000=2,000 עובדים ב=ב ~-=- ~Google ~( ~צרפת ~) ~.",
    "أهلا ~، ~\u200fGoogle ~؟ نعم ~\u200f",
    "他 ~在 ~過去 ~， ~《 ~三國_演義 ~》 ~說 ~「 ~OK ~」 ~。",
    "ฉัน ~อยาก ~ไป ~กรุงเทพฯ ~เพราะ ~ที่นั่น ~มี ~อาหาร",
    "du=de+le 25_000=25\u00a0000 € ~/ ~km au=à+le soir ~.",
)


def surface_tokens(spec):
    """RETURNS (Tuple[str, List[Tuple[str, List[str]]]]): The text, and each surface token with its words."""
    text, tokens = "", []
    for token in spec.split(" "):
        surface, _, words = token.removeprefix("~").replace("_", "\u00a0").partition("=")
        text += " " * (bool(text) and not token.startswith("~")) + surface
        tokens.append((surface, (words or surface).split("+")))
    return text, tokens


def multiword(spec):
    """RETURNS (str): A sentence of CoNLL-U, with an empty node."""
    rest, tokens = surface_tokens(spec)
    rows, n = [f"# newpar\n# sent_id = s\n# text = {rest}"], 0
    for surface, words in tokens:
        rest = rest.removeprefix(" ").removeprefix(surface)
        space = "_" if rest.startswith(" ") or not rest else "SpaceAfter=No"
        if len(words) > 1:
            rows.append(f"{n + 1}-{n + len(words)}\t{surface}" + "\t_" * 7 + f"\t{space}")
        for word in words:
            n += 1
            rows.append(f"{n}\t{word}" + "\t_" * 7 + f"\t{space if len(words) == 1 else '_'}")
    return "\n".join([*rows, f"{n}.1\tgo" + "\t_" * 8]) + "\n"
