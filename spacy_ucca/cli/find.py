"""`spacy-ucca find`: find units by a pattern in texts or in files of graphs."""

import json
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..errors import Errors, UccaError
from ._command import Lang, Show, app, flag, model_option
from ._graphs import find_graphs
from ._parse_input import find_input
from ._util import BadFiles, clear_bars, exists, printable, shows_color, standard_output, track

if TYPE_CHECKING:
    from spacy.vocab import Vocab

    from ._find_docs import Found

MAX_STEPS = 10_000_000  # some seconds


@app.command("find")
def find(
    pattern: str = typer.Argument(
        ...,
        help="Such as 'H[P=p:lemma(buy) A=who A=what]': see the page \"Find patterns\" of the docs",
    ),
    inputs: list[Path] = typer.Argument(
        ...,
        metavar="FILES",
        help="Texts, with --model, or graphs of any format: files, directories, or - for standard input",
    ),
    model: str = model_option("Pipeline that parses the texts or words of the files"),
    lang: Lang = None,
    keep_graphs: bool = flag(
        "Search the graphs of the files; the pipeline only sets tags and lemmas", "--keep-graphs"
    ),
    as_json: bool = flag("Print a line of JSON for each match", "--json"),
    count: bool = flag("Print only the number of matches", "--count", "-c"),
    max_steps: int = typer.Option(
        MAX_STEPS, min=0, help="Give a text up when its search takes more steps; 0 for never"
    ),
    show: Show = None,
) -> None:
    """Find units by a pattern.

    Each match is a line: its sentence, with the named units in brackets.
    """
    from ..matcher import UccaMatcher, parse_pattern
    from ..matcher.matcher import MissingAttributes
    from ..matcher.plain import Sentences, describe_match
    from ..text.spacing import Places
    from ._find_docs import mark

    bad = BadFiles()
    try:
        nodes = parse_pattern(pattern)
    except UccaError:
        if exists(Path(pattern)):
            raise UccaError(Errors.UC694.format(path=pattern)) from None
        raise
    docs, vocab, n_files = _docs(inputs, model, lang, keep_graphs, bad, show)
    matcher = UccaMatcher(vocab)
    matcher.add("find", [nodes])
    out = standard_output(text=not as_json)
    color = shows_color(out) and not as_json
    n = 0
    for found in docs:
        try:
            matches = matcher(found.doc, max_steps=max_steps or None)
        except MissingAttributes as err:
            message = Errors.UC659 if model is None else Errors.UC587
            parts = {"names": err.names, "components": err.components}
            raise UccaError(message.format(path=found.source, model=model, **parts)) from None
        except UccaError as err:
            bad.add(found.source, err)
            continue
        n += len(matches)
        if count or not matches:
            continue
        clear_bars()
        graph = found.doc._.ucca
        sentences, places = Sentences(graph), Places(graph, found.text, found.spans)
        for _, units in matches:
            if as_json:
                data = {"name": found.name, **describe_match(units, sentences, places)}
                out.write(printable(json.dumps(data, ensure_ascii=False)) + "\n")
            else:
                name = f"{found.name}: " * (n_files > 1)
                out.write(name + mark(found.doc, sentences, units, color=color) + "\n")
    if count:
        out.write(f"{n}\n")
    bad.finish()


def _docs(
    inputs: Iterable[Path],
    model: str | None,
    lang: str | None,
    keep_graphs: bool,
    bad: BadFiles,
    show: bool | None,
) -> "tuple[Iterable[Found], Vocab, int]":
    """RETURNS (Tuple[Iterable[Found], Vocab, int]): The Docs to search, their vocabulary, and the number of files."""
    import spacy

    from ._find_docs import docs_of_graphs, parsed_docs
    from ._parse_jobs import Parser
    from ._pipelines import load_pipeline
    from .passages import ParseSettings

    if model is None or keep_graphs:
        files = find_graphs(inputs)
        nlp = load_pipeline(model, lang=lang) if model is not None else None
        vocab = spacy.blank("xx").vocab if nlp is None else nlp.vocab
        read = partial(docs_of_graphs, vocab=vocab, bad=bad, nlp=nlp)
        return track(files, read, show, "text"), vocab, len(files)
    files = find_input(inputs, "find PATTERN -")
    parser = Parser(ParseSettings(model, "tree", lang=lang))
    read = partial(parsed_docs, parser, bad=bad)
    return track(files, read, show, "text"), parser.nlp.vocab, len(files)
