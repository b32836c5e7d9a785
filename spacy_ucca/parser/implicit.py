"""Classes of units by their implicit children: the labels of these, or, of a unit without any, of its remote edges."""

from ..graph.unit import Unit

Bag = tuple[str, ...]


def implicit_bag(unit: Unit) -> Bag:
    """RETURNS (Tuple[str, ...]): The labels of the implicit children of a unit, sorted. Implicit
    children of other units, to which it has remote edges, do not count."""
    return tuple(sorted(e.label for e in unit.edges if e.child.is_implicit and not e.remote))


def remote_only_label(unit: Unit) -> str:
    """RETURNS (str): The label of the remote edges of a unit without implicit children, the first of several; "" for
    others."""
    if implicit_bag(unit):
        return ""
    return min((edge.label for edge in unit.edges if edge.remote), default="")
