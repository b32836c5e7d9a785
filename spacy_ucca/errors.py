"""Every message the package can raise or warn with, by code.

Only texts live here: `raise ValueError(Errors.UC001.format(...))`. Numbers are given out by room:
0xx graph, 1xx formats, 2xx alignment and corpus, 3xx transition system, model and component,
4xx scorer, 5xx command line, 6xx pictures. The idea is spaCy's `spacy.errors`.
"""


class _WithCodes(type):
    def __getattribute__(cls, code: str) -> str:
        text = super().__getattribute__(code)
        if code.startswith("__"):
            return text
        return f"[{code}] {text}"


class UccaError(ValueError):
    """Input that is not what it should be: the base of all errors a user can mend."""


class GraphError(UccaError):
    """A graph that breaks an invariant of UCCA."""


class FormatError(UccaError):
    """A file that cannot be read as what it is said to be. The message names the file."""


class Errors(metaclass=_WithCodes):
    # graph
    UC001 = "Edge {edge} refers to {what} {index}, but the graph has only {n}."
    UC002 = (
        "Unit {child} has two primary parents ({first} and {second}). Mark all but one of the "
        "edges as remote."
    )
    UC003 = "The graph has a cycle through unit {index}. UCCA graphs are acyclic."
    UC004 = "Token {token} ('{word}') has two parents ({first} and {second})."
    UC005 = "Implicit unit {index} covers tokens. An implicit unit has no text."
    UC006 = "Edge {edge} has no category. Give at least one, such as 'A' or 'Terminal'."
    UC007 = "Unknown kind of unit: '{kind}'. Use one of: {kinds}."
    UC008 = "The graph has {n} roots. Use `graph.roots`, or take the graph of one sentence."
    UC009 = (
        "Cannot read a graph record of version {version}: this release reads version {expected}. "
        "Install the release of spacy-ucca that wrote it, or convert the data again."
    )
    UC010 = "Not a graph record: {reason}."
    UC011 = "Terminal edge {edge} is remote. Only edges between units can be remote."
    UC012 = "The graph has {n} {what} for {words} words."

    # bracket notation
    UC150 = "{source}, line {line}: {reason}. See the docstring of `spacy_ucca.formats.brackets`."

    # extensions, alignment, corpus
    UC201 = (
        "The graph has {n} words, the Doc {tokens} tokens; they differ first at {index}: {found} in the "
        "graph, {expected} in the Doc. Use `spacy_ucca.align.project(graph, doc)` to move a graph to "
        "other tokens."
    )
    UC202 = "Doc._.ucca takes a Graph, the record of one, or None, not '{type}'."
    UC203 = (
        "The graph on this Doc belongs to other tokens than the {n} it has now: the Doc was retokenized, "
        "or is a part of another one. Parse it again, or set `doc._.ucca` to the right graph or None."
    )
    UC204 = "The graph cannot be stored: its details{path} hold a '{type}', which is not plain data."
    UC205 = "{owner}._.ucca is read from the graph of the Doc. Set `doc._.ucca` instead."

    # transition system, oracle, model, component
    UC301 = "No transition system is called '{name}'. Use one of: {names}."
    UC302 = "The oracle needs the graph of one sentence, with one root, not {n}. Split it first."
    UC303 = "The label '{label}' is unknown to the transition system. Add it with `add_label`."
    UC304 = "Token {token} ('{word}') is attached to nothing. Every token needs a unit."
    UC305 = "Token {token} ('{word}') is directly under the root. Give it a unit of its own."
    UC306 = "The gold action {action} is not valid in the state the oracle reached."
    UC307 = "The oracle took more than {bound} transitions."


class Warnings(metaclass=_WithCodes):
    UW201 = (
        "{owner}._.{name} is already registered by other code, which is left as it is: the UCCA graphs "
        "of spacy-ucca are not found there."
    )
