"""The Arrow schema of predications: a row for each, as `spacy-ucca parse --predications FILE.parquet` and `Predications.to_arrow`
write them.

| column | type | content |
|---|---|---|
| `id`, `sentence` | string, int | the text, and the number of its sentence; `to_arrow` has `doc` in their place, the number of the Doc |
| `scene`, `host` | int | the number of the Scene among those of the text, and that of the Scene around it |
| `relation`, `lemma` | string | what happens or holds, and the lemma of its head |
| `subject`, `object` | string | who does it or is it, and whom or what it is done to |
| `others` | list of strings | the other participants, such as "to Mary" |
| `times`, `places`, `adverbials` | list of strings | when, where and how |
| `negated`, `polarity` | bool, string | whether a word denies it; positive, negative or unknown |
| `modality`, `secondary` | list of strings | "can"; "begin" of "begin to sell" |
| `links` | list of structs | `text`, such as "because", and `scene`, the number of the Scene that it links to |
| `conditions` | list of structs | `linker`, such as "if"; `text`, what it depends on; `scene`, the number of that Scene |
| `shared` | list of strings | participants that belong to another Scene |
| `kind`, `is_clause` | string, bool | what the Scene is for the unit around it, and whether it has a clause |
| `start`, `end` | int | the characters of the relation in the text, from 0; null without words |
| `score` | float | the lowest score of the edges to relation, subject and object |

Values that are not there are null, and lists are empty. `Predication` describes them all.
"""

from typing import Any

from ..methods import load_package

pa: Any = load_package("pyarrow")
_LINK = {"text": pa.string(), "scene": pa.int32()}
_TYPES = {
    **dict.fromkeys(("scene", "host", "start", "end"), pa.int32()),
    **dict.fromkeys(("negated", "is_clause"), pa.bool_()),
    **dict.fromkeys(
        "others times places adverbials modality secondary shared".split(), pa.list_(pa.string())
    ),
    "links": pa.list_(pa.struct(_LINK)),
    "conditions": pa.list_(pa.struct({"linker": pa.string(), **_LINK})),
    "score": pa.float64(),
}
_NAMES = """scene relation lemma subject object others times places adverbials negated polarity modality secondary links conditions
shared host kind is_clause start end score""".split()
_COLUMNS = {name: _TYPES.get(name, pa.string()) for name in _NAMES}
SCHEMA = pa.schema({"id": pa.string(), "sentence": pa.int32(), **_COLUMNS})
DOC_SCHEMA = pa.schema({"doc": pa.int32(), **_COLUMNS})
