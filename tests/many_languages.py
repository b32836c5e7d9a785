"""A text of each of several languages, and a pipeline for any language."""

import pickle
from pathlib import Path

import spacy
from spacy.language import Language
from spacy.tokens import Doc

TEXTS = {
    "en": "After graduation, John didn't move to Paris, e.g. because it's far from his parents' house.",
    "de": "Nach dem Studium zog Johann z.B. nach Paris, aber er mag's dort nicht so sehr wie zu Hause.",
    "fr": "Après ses études, l'homme qu'elle a vu n'est pas venu aujourd'hui, et c'est dommage.",
    "es": "Después de los estudios, Juan se mudó a París, ¿no? Dice que no le gusta mucho la ciudad.",
    "ru": "После учёбы Иван переехал в Париж, т.е. теперь он живёт далеко от своих родителей.",
    "he": "אחרי הלימודים עבר יוחנן לפריז, אבל הוא לא אוהב את העיר כמו את הבית של הוריו.",
    "ar": "بعد الدراسة انتقل يوحنا إلى باريس، لكنه لا يحب المدينة مثل بيت والديه.",
    "zh": "毕业以后，约翰搬到了巴黎，但是他不喜欢那个城市，因为离父母家太远。",
    "ja": "卒業後、ジョンはパリに引っ越しましたが、両親の家から遠いので好きではありません。",
    "th": "หลังจากเรียนจบ จอห์นย้ายไปปารีส แต่เขาไม่ชอบเมืองนั้นเพราะอยู่ไกลจากบ้านพ่อแม่",
}
NEED = {"ja": "sudachipy", "th": "pythainlp"}


def any_pipeline(folder: Path) -> Path:
    """RETURNS (Path): A pipeline for any language, whose own tokenizer keeps "a-b" whole."""
    nlp = spacy.blank("xx")
    nlp.tokenizer.add_special_case("a-b", [{"ORTH": "a-b"}])
    nlp.add_pipe("sentencizer")
    return saved(nlp, folder)


def saved(nlp: Language, folder: Path) -> Path:
    nlp.to_disk(folder / "pipeline")
    return folder / "pipeline"


def tokens(doc: Doc) -> list[tuple[str, str]]:
    return [(token.text, token.whitespace_) for token in doc]


def through_disk(nlp: Language, folder: Path) -> Language:
    return spacy.load(saved(nlp, folder))


def through_pickle(nlp: Language, folder: Path) -> Language:
    return pickle.loads(pickle.dumps(nlp))


def same(nlp: Language, folder: Path) -> Language:
    return nlp
