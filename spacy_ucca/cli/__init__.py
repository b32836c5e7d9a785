"""The command line `spacy-ucca`. Each command has a file, with a function that does the work and a function `..._cli` that has
its options.
"""

from . import (  # noqa: F401  (they register)
    bilexical,
    calibrate,
    compare,
    convert,
    dependencies,
    evaluate,
    finetune,
    label,
    links,
    oracle,
    orient,
    parse,
    render,
    score,
    serve,
    stats,
    validate,
    vectors,
)
from ._util import app, keep_standard_streams

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line."""
    keep_standard_streams()
    app(prog_name="spacy-ucca")
