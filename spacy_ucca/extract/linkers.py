"""What links a Scene to other Scenes: "because", "and", "after"."""

from typing import NamedTuple

from spacy.tokens import Doc, Span

from ..graph.unit import Unit
from .words import span_of


class Link(NamedTuple):
    """A Linker of a Scene.

    span (Span): The Linker.
    scene (Optional[Unit]): The Scene that it links to: the one before; for a Linker at the start of the sentence, the next one.
        None without another Scene.
    """

    span: Span
    scene: Unit | None


def find_links(doc: Doc, scene: Unit) -> tuple[Link, ...]:
    """Find the Linkers right before a Scene.

    doc (Doc): The Doc.
    scene (Unit): The Scene.
    RETURNS (Tuple[Link, ...]): The Linkers, in text order.
    """
    if scene.parent is None:
        return ()
    if not scene.parent.linkers:
        return ()
    siblings = [edge for edge in scene.parent.edges if not edge.remote]
    place = next(i for i, edge in enumerate(siblings) if edge.child == scene)
    linkers: list[Unit] = []
    for edge in reversed(siblings[:place]):
        if "L" in edge.categories:
            linkers.insert(0, edge.child)
        elif not edge.child.is_punct:
            break
    scenes = [_scene_of(edge.child) for edge in siblings[:place]]
    before = next((other for other in reversed(scenes) if other), None)
    scenes = [_scene_of(edge.child) for edge in siblings[place + 1 :]]
    after = next((other for other in scenes if other), None)
    spans = [span_of(doc, linker) for linker in linkers]
    return tuple(Link(span, before or after) for span in spans if span is not None)


def _scene_of(unit: Unit) -> Unit | None:
    """RETURNS (Optional[Unit]): The unit, or the first Scene that it consists of."""
    if unit.is_scene:
        return unit
    return next((part for part in unit.parallel_scenes if part.is_scene), None)
