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
