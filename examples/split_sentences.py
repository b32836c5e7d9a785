"""Split sentences by Scenes: the rules of DSS (Sulem, Abend and Rappoport, ACL 2018), for simplification or as
a step before translation.

    python examples/split_sentences.py models/en_ucca_sm "He saw the planet which has 14 satellites."

Rule 1 gives each parallel Scene a sentence of its own, with the participants it shares through remote edges;
linkers between them go. Rule 2 takes each elaborator Scene (a relative clause) out of its sentence, with the
minimal center of what it elaborates, without "who", "which", "that"; all of these follow the parallel Scenes.
Participant Scenes ("that he left" in "I know that he left") are not split: only the authors' later work on translation
(Sulem et al., 2020) does that. Unlike the published scripts, parallel Scenes within a participant stay where they
are, nothing but linkers, relative words and functions or punctuation between Scenes is lost, and elaborator Scenes
of one word stay (adjectives and possessives are Scenes since guidelines 2.0, they were not when DSS was written).
"""

import typer
from common import MODEL, TEXT, graph_of, joined, load, read, run
from spacy.tokens import Doc

from spacy_ucca import Unit

RELATIVE = {"who", "which", "that"}
DROPPED = {"L", "F", "U"}


def main(
    model: str = MODEL,
    text: str = TEXT,
    rule2: bool = typer.Option(True, help="Take elaborator Scenes out as well"),
):
    """Print each Scene of a text as a sentence."""
    doc = load(model)(read(text))
    for sentence in split(doc, rule2=rule2):
        print(sentence)


def split(doc: Doc, *, rule2: bool = True) -> list[str]:
    """RETURNS (List[str]): The sentences, each with a capital letter and a full stop, or the mark of its source."""
    graph = graph_of(doc)
    sentences = []
    for root in graph.roots:
        last = doc[root.tokens()[-1]].text if root.tokens() else ""
        end = last if last in ("!", "?", "…", "。", "؟") else "."
        for tokens in split_tokens(root, rule2=rule2):
            text = joined(tokens, doc)
            sentences.append(text[0].upper() + text[1:] + end)
    return sentences


def split_tokens(root: Unit, *, rule2: bool = True) -> list[list[int]]:
    """RETURNS (List[List[int]]): The tokens of each sentence that one sentence is split into."""
    taken = set(filter(is_clause, root.iter())) if rule2 else set()
    parallel, elaborators = [], []
    for part in parts(root):
        parallel.append(gather(part, taken))
        for scene in part.iter():
            if scene in taken and scene != part:
                first = scene.tokens(punct=False)[:1]
                tokens = gather(scene, taken)
                if is_relative(scene):
                    tokens -= set(first)
                for center in scene.parent.minimal_centers:
                    tokens |= gather(center, taken)
                elaborators.append(tokens)
    found = (trimmed(tokens, root) for tokens in parallel + elaborators)
    return [tokens for tokens in found if tokens]


def parts(unit: Unit) -> list[Unit]:
    """RETURNS (List[Unit]): The parallel Scenes a unit consists of, and what else is no linker; itself, if it
    is one Scene, has none, or has words of its own beside them."""
    if unit.is_scene or not unit.parallel_scenes or unit.terminals:
        return [unit]
    found = []
    for edge in unit.edges:
        if not edge.remote and not DROPPED.intersection(edge.categories):
            found.extend(parts(edge.child))
    return found


def is_clause(unit: Unit) -> bool:
    """RETURNS (bool): Whether it is an elaborator Scene of several words, with a center to elaborate."""
    if unit.scene_kind != "elaborator" or not unit.parent.centers:
        return False
    return len(unit.tokens(punct=False)) > 1


def is_relative(scene: Unit) -> bool:
    """RETURNS (bool): Whether its first word is one that only joins it to the center."""
    first = scene.tokens(punct=False)[0]
    parent = scene.graph.unit_of(first)
    return parent in scene.relators or scene.graph.words[first].lower() in RELATIVE


def gather(unit: Unit, taken: set[Unit]) -> set[int]:
    """RETURNS (Set[int]): The tokens of a unit, shared ones too, without Scenes that are taken out."""
    tokens: set[int] = set()
    stack, seen = [unit], {unit}
    while stack:
        unit = stack.pop()
        tokens.update(unit.terminals)
        for edge in unit.edges:
            if edge.child not in seen and not (edge.child in taken and not edge.remote):
                seen.add(edge.child)
                stack.append(edge.child)
    return tokens


def trimmed(tokens: set[int], root: Unit) -> list[int]:
    """RETURNS (List[int]): Some tokens in order, without punctuation at the ends and beside what is gone."""
    punct = root.graph.punct
    while True:
        kept = {i for i in tokens if not punct[i] or {i - 1, i + 1} <= tokens}
        if kept == tokens:
            return sorted(tokens)
        tokens = kept


if __name__ == "__main__":
    run(main)
