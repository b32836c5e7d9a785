"""The Arrow schema of parsed texts: one row a text, its graph as nested lists.

| column | type | content |
|---|---|---|
| `id` | string | the id of the text |
| `text` | string | the text; offsets count its characters (Unicode code points), from 0 |
| `tokens` | list of structs | `text`; `start`, `end`: its place; `punct`; `paragraph`, from 1; `sentence_start` |
| `units` | list of structs | `kind`: FN, PNCT, LKG or IMPLICIT; `text`, `start`, `end`: null without tokens |
| `edges` | list of structs | `parent`; `child`, or `token` where it leads to one; `categories`; `remote`; `implicit`; `score` |
| `details` | string | `graph.details` as JSON, with the guidelines |
| `pipeline`, `pipeline_version` | string | the pipeline that made the graph |
| `error` | string | why there is no graph; null if there is one |

`parent` and `child` are numbers of `units`, `token` is one of `tokens`, all from 0. Rows with an error have null in the columns
of the graph. The text of a unit is cut from the text; " ... " stands for gaps. The metadata of the schema have its version.
"""

from ..errors import Errors, UccaError
from ..methods import load_package

load_package("pyarrow")  # which says how to install it
import pyarrow as pa  # noqa: E402

SCHEMA_VERSION = "1"
VERSION_KEY = b"spacy_ucca.schema"

_TOKEN = {
    "text": pa.string(),
    "start": pa.int32(),
    "end": pa.int32(),
    "punct": pa.bool_(),
    "paragraph": pa.int32(),
    "sentence_start": pa.bool_(),
}
_UNIT = {"kind": pa.string(), "text": pa.string(), "start": pa.int32(), "end": pa.int32()}
_EDGE = {
    "parent": pa.int32(),
    "child": pa.int32(),
    "token": pa.int32(),
    "categories": pa.list_(pa.string()),
    "remote": pa.bool_(),
    "implicit": pa.bool_(),
    "score": pa.float64(),
}
SCHEMA = pa.schema(
    {
        "id": pa.string(),
        "text": pa.string(),
        "tokens": pa.list_(pa.struct(_TOKEN)),
        "units": pa.list_(pa.struct(_UNIT)),
        "edges": pa.list_(pa.struct(_EDGE)),
        "details": pa.string(),
        "pipeline": pa.string(),
        "pipeline_version": pa.string(),
        "error": pa.string(),
    },
    metadata={VERSION_KEY: SCHEMA_VERSION.encode()},
)


def check_schema(table: pa.Table) -> pa.Table:
    """Take the columns of the schema from a table. Engines may have dropped its metadata or changed the size of its types.

    table (pa.Table): The table.
    RETURNS (pa.Table): A table of exactly this schema.
    RAISES (UccaError): If a column is missing or of another kind, or the version is another one.
    """
    version = (table.schema.metadata or {}).get(VERSION_KEY, SCHEMA_VERSION.encode()).decode()
    if version != SCHEMA_VERSION:
        raise UccaError(Errors.UC009.format(what="table", version=version, expected=SCHEMA_VERSION))
    missing = [name for name in SCHEMA.names if name not in table.column_names]
    if missing:
        raise UccaError(Errors.UC571.format(reason=f"no column {', '.join(missing)}"))
    columns = []
    for field in SCHEMA:
        try:
            columns.append(table.column(field.name).cast(field.type))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError) as err:
            raise UccaError(Errors.UC571.format(reason=f"column '{field.name}': {err}")) from None
    return pa.Table.from_arrays(columns, schema=SCHEMA)
