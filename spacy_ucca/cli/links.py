"""`spacy-ucca links`: parse text with Link Grammar to undirected links. `spacy-ucca orient`: find directions for links."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import Errors, FormatError, UccaError
from ..files import check_outputs, open_whole, write_whole
from ..formats.recognise import TEXT
from ._command import Json, Limit, Show, app, choice, existing, flag
from ._parse_input import kind_of
from ._util import (
    STDIN,
    exists,
    make_directory,
    open_for_writing,
    printable,
    progress,
    read_text,
    table,
    warn,
    write_json,
)

if TYPE_CHECKING:
    from ..conversion.graph import BilexicalGraph
    from ..link_grammar.agreement import Agreement
    from ..link_grammar.directions import Orientation
    from ..link_grammar.link_grammar import LinkParse, TokenizedSentence


STEPS = 5  # of stability: each has half the sentences of the next
UD, CONLL = "ud", "conll"  # schemes of trees
FILES = ("conllu", "sdp")
LABELS = "labels.tsv"
METHODS = ("program", "as-published", "depth-first", "rightward")  # that find directions
FRAMEWORK = "link-grammar"
PICTURE_WIDTH = 1000  # pixels: what fits a page


@app.command("links")
def links(
    source: Path = typer.Argument(
        ..., metavar="INPUT", help="A text file, a CoNLL-U file, or - for a text on standard input"
    ),
    output: Path = typer.Argument(..., help="The CoNLL-U file to write"),
    lang: str = typer.Option(
        "en", "--lang", "-l", help="The language: en and ru have large grammars"
    ),
    lines: bool = flag(
        "Each line of a text is a sentence. Default: rules find sentences", "--lines"
    ),
    limit: Limit = 0,
    timeout: int = typer.Option(
        10,
        help="Seconds per sentence, for a parse with all words and again for one without some",
        min=1,
    ),
    max_length: int = typer.Option(100, help="Maximum number of tokens in a sentence", min=1),
    n_process: int = typer.Option(
        1, "--n-process", "-n", help="Number of sentences to parse at the same time", min=1
    ),
    json_path: Json = None,
    show: Show = None,
) -> None:
    """Parse text with Link Grammar and write undirected labeled links, as arcs from left to right.

    Sentences that cannot be parsed, or whose links are not connected, are counted and written without heads.
    """
    if str(source) != STDIN and not exists(source):
        raise typer.BadParameter(f"'{source}' does not exist.", param_hint="INPUT")
    check_outputs([output, json_path], [source])
    from ..link_grammar.link_grammar import (
        LinkCounts,
        LinkGrammar,
        format_links,
        sentences_of_conllu,
    )

    source_sentences: Iterator[TokenizedSentence]
    kind = kind_of(source, TEXT if str(source) == STDIN else None)
    if kind not in (TEXT, "conllu"):
        raise FormatError(Errors.UC542.format(path=source, kind=kind))
    if kind == "conllu":
        source_sentences = sentences_of_conllu(source)
    else:
        source_sentences = _sentences_of_text(source, lang, lines)
    sentences = list(islice(source_sentences, limit or None))
    if not sentences:
        raise FormatError(Errors.UC115.format(where=source))
    counts = LinkCounts()
    options = {"timeout": timeout, "max_length": max_length, "n_process": n_process}
    with LinkGrammar(lang, **options) as grammar, open_for_writing(output) as file:
        parses = grammar.pipe(sentences)
        for parse in progress(parses, total=len(sentences), show=show, unit="sentence"):
            counts.add(parse)
            file.write(format_links(parse.graph) + "\n")
    figures = {"version": grammar.version, **counts.to_dict()}
    warn(format_counts(figures))
    write_json(json_path, figures)


def _sentences_of_text(source: Path, lang: str, lines: bool) -> "Iterator[TokenizedSentence]":
    import spacy

    from ..link_grammar.link_grammar import sentences_of_docs

    try:
        nlp = spacy.blank(lang)
    except ImportError:
        nlp = spacy.blank("xx")
    if not lines:
        nlp.add_pipe("sentencizer")
    docs = (nlp(line.strip()) for line in read_text(source).splitlines() if line.strip())
    return sentences_of_docs(docs, "" if str(source) == STDIN else f"{printable(source.stem)}-")


def format_counts(figures: dict[str, Any]) -> str:
    """RETURNS (str): The numbers of sentences by status, as a table with percentages."""
    n = figures["sentences"]
    rows = [["sentences", f"{n:,}", ""]]
    rows += ([k, f"{v:,}", f"{100 * v / n:.1f}%"] for k, v in figures["statuses"].items() if v)
    return table(rows, "<>>")


@app.command("orient")
def orient(
    source: Path = existing(
        "A CoNLL-U file of `spacy-ucca links`", metavar="LINKS", dir_okay=False
    ),
    output: Path = typer.Argument(..., help="The directory to write to"),
    ud: list[Path] = typer.Option(
        [], help="CoNLL-U file with dependencies of the sentences, to compare with", exists=True
    ),
    limit: Limit = 0,
    incomplete: bool = flag(
        "Also write sentences in which tokens have no link and no head", "--incomplete"
    ),
    pictures: int = typer.Option(0, help="Number of parses to draw", min=0),
    time_limit: float = typer.Option(
        600, help="Seconds for the solver; after that, the best directions so far are used", min=0
    ),
    gap: float = typer.Option(
        0, help="Accept directions whose cost is within this share of the minimum", min=0
    ),
    method: str = choice(
        "program",
        METHODS,
        help="program: the integer program; as-published: the same without simplifications, much slower; depth-first, "
        "rightward: baselines without a program",
    ),
    stability: bool = flag(
        "Also compare with directions of a half of the sentences, a quarter, and so on",
        "--stability",
    ),
    json_path: Json = None,
    show: Show = None,
) -> None:
    """Give links of Link Grammar directions, consistent by label, so that parses are acyclic and reachable.

    Writes graphs.conllu and graphs.sdp with the completely parsed sentences, labels.tsv with the direction of each label,
    and pictures. Sentences with dropped tokens are used to find the directions.
    """
    targets = {name: output / f"graphs.{name}" for name in FILES}
    drawn = (_picture(output, number) for number in range(1, pictures + 1))
    check_outputs([json_path, *targets.values(), output / LABELS, *drawn], [source, *ud])
    from ..link_grammar.agreement import format_labels
    from ..link_grammar.link_grammar import LinkCounts, read_links
    from ..link_grammar.properties import broken_properties, is_multi_headed

    counts = LinkCounts()
    parses: list[LinkParse] = []
    for parse in islice(read_links(source), limit or None):
        counts.add(parse)
        if parse.is_connected:
            parses.append(parse)
    if not parses:
        raise UccaError(Errors.UC904.format(path=source))
    trees = _trees(ud, parses, source)
    options: dict[str, Any] = {"show": show, "time_limit": time_limit, "gap": gap}
    orientation = _orient(parses, method, **options)
    make_directory(output)
    pairs = list(zip(parses, orientation.graphs))
    whole = [pair for pair in pairs if pair[0].status == "complete"]
    written = pairs if incomplete else whole
    _write_graphs([graph for _, graph in written], targets)
    lacking = [broken_properties(graph) for _, graph in whole]
    figures: dict[str, Any] = {**counts.to_dict(), "written": len(written)}
    figures["broken"] = dict(Counter(name for names in lacking for name in names))
    figures["whole"] = _share(not names for names in lacking)
    figures["multi_headed"] = _share(is_multi_headed(graph) for _, graph in whole)
    figures["directions"] = orientation.to_dict()
    agreements: dict[str, Agreement] = {}
    for scheme, by_id in trees.items():
        agreements[scheme], words = (
            _compare([(graph, by_id[graph.id]) for _, graph in whole], between_words)
            for between_words in (False, True)
        )
        both = {"all": agreements[scheme].to_dict(), "words": words.to_dict()}
        figures.setdefault("agreement", {})[scheme] = both
    if stability:
        figures["stability"] = {
            f"1/{2**i}": _orient(part, method, **options).stability(orientation)
            for i in range(1, STEPS + 1)
            if (part := parses[: len(parses) // 2**i])
        }
    lines = format_labels([*orientation.directions.values()], agreements)
    write_whole(output / LABELS, "".join(f"{line}\n" for line in lines))
    _draw(written, trees.get(CONLL, {}), pictures, output)
    warn(format_figures(figures))
    write_json(json_path, figures)


def _share(values: Iterable[bool]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def _orient(parses: "Sequence[LinkParse]", method: str, **options: Any) -> "Orientation":
    from ..link_grammar.directions import BASELINES, orient, orient_simply

    graphs = (parse.graph for parse in parses)
    if method in BASELINES:
        return orient_simply(graphs, method)
    return orient(graphs, plain=method == "as-published", **options)


def _trees(
    paths: Sequence[Path], parses: "Sequence[LinkParse]", source: Path
) -> "dict[str, dict[str, BilexicalGraph]]":
    """RETURNS (Dict[str, Dict[str, BilexicalGraph]]): The trees by the name of their scheme and the sentence's id."""
    from ..formats.conll import iter_conllu
    from ..formats.text import open_lines
    from ..link_grammar.agreement import function_heads

    graphs: dict[str, BilexicalGraph] = {}
    for path in paths:
        with open_lines(path) as lines:
            graphs.update(
                (graph.id, graph.tree()) for graph in iter_conllu(lines, source=str(path))
            )
    if not any(graph.arcs for graph in graphs.values()):
        if paths:
            warn(
                f"{printable(str(paths[0]))} has no dependencies: links are not compared with them."
            )
        return {}
    trees: dict[str, BilexicalGraph] = {}
    for parse in parses:
        name = parse.graph.id
        if name not in graphs:
            raise UccaError(Errors.UC911.format(id=name, path=source))
        if graphs[name].words != parse.graph.words:
            raise UccaError(Errors.UC910.format(id=name))
        trees[name] = graphs[name]
    return {UD: trees, CONLL: {name: function_heads(tree) for name, tree in trees.items()}}


def _compare(pairs: "Sequence[tuple[BilexicalGraph, BilexicalGraph]]", words: bool) -> "Agreement":
    from ..link_grammar.agreement import Agreement

    agreement = Agreement(words_only=words)
    for graph, tree in pairs:
        agreement.add(graph, tree)
    return agreement


def _write_graphs(graphs: "Sequence[BilexicalGraph]", targets: dict[str, Path]) -> None:
    """Write graphs in every format of FILES."""
    from ..formats.conll import format_conllu
    from ..formats.sdp import format_sdp

    formats: dict[str, Any] = {"conllu": format_conllu, "sdp": format_sdp}
    for name, path in targets.items():
        with open_whole(path) as file:
            file.writelines(formats[name](graph, framework=FRAMEWORK) + "\n" for graph in graphs)


def _draw(
    parses: "Sequence[tuple[LinkParse, BilexicalGraph]]",
    trees: "dict[str, BilexicalGraph]",
    n: int,
    output: Path,
) -> None:
    """Draw the first parses that fit a page, in the style of the draft."""
    from ..sdp_parser.arcs import picture_width, render_arcs

    drawn = 0
    for parse, graph in parses:
        if drawn == n:
            break
        tree, tags = trees.get(graph.id), parse.graph.tags
        if picture_width(graph, tree, tags) <= PICTURE_WIDTH:
            drawn += 1
            path = _picture(output, drawn)
            make_directory(path.parent)
            write_whole(path, render_arcs(graph, tree, tags))


def _picture(output: Path, number: int) -> Path:
    return output / "pictures" / f"{number:03}.svg"


def format_figures(figures: dict[str, Any]) -> str:
    """RETURNS (str): The figures as a table."""
    directions = figures["directions"]
    rows = [
        ["sentences", f"{figures['sentences']:,}"],
        ["connected, directions found for them", f"{figures['connected']:,}"],
        ["complete", f"{figures['complete']:,}"],
        ["written", f"{figures['written']:,}"],
        ["links", f"{directions['links']:,}"],
        ["labels", f"{directions['labels']:,}"],
        *([f"  {way}", f"{directions[way]:,}"] for way in ("left", "right", "both")),
        ["links against a label's one direction", f"{directions['deviating']:,}"],
        ["cost", f"{directions['objective']:.2f}"],
        ["gap to the least cost, %", f"{100 * directions['gap']:.2f}"],
        ["seconds", f"{directions['seconds']:.1f}"],
        ["complete sentences with a multi-headed token, %", f"{100 * figures['multi_headed']:.1f}"],
    ]
    titles = {
        "arcs_matched": "dependencies that links match, %",
        "links_matched": "links that dependencies match, %",
        "same_direction": "  in the same direction, %",
        "relation_known": "  with the label's commonest relation, %",
    }
    for scheme, agreement in figures.get("agreement", {}).items():
        rows.append([f"trees: {scheme}", ""])
        rows += ([f"  {titles[k]}", f"{100 * agreement['words'][k]:.1f}"] for k in titles)
    for share, values in figures.get("stability", {}).items():
        shares = " / ".join(f"{100 * values[name]:.1f}" for name in ("precision", "recall"))
        rows.append([f"{share} of the sentences: precision / recall, %", shares])
    for name, n in figures["broken"].items():
        rows.append([f"WARNING: not {name}", f"{n:,}"])
    return table(rows, "<>")
