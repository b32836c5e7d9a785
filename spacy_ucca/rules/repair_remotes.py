"""Drop remote edges whose category breaks a rule with their child unit."""

from .bit_grammar import BitGrammar
from .draft import Draft


def drop_remotes(draft: Draft, grammar: BitGrammar) -> bool:
    """Drop remote edges whose category bans something under their child.

    draft (Draft): The graph; categories of primary edges are final unless an edge is dropped.
    grammar (BitGrammar): The rules.
    RETURNS (bool): Whether any edge was dropped.
    """
    remotes = [
        (unit, i) for unit, edges in enumerate(draft.remotes) for i in edges if draft.labels[i]
    ]
    # Check all edges before dropping any.
    wrong = [_is_banned(draft, grammar, unit, i) for unit, i in remotes]
    dropped = False
    for (_, i), is_wrong in zip(remotes, wrong):
        if is_wrong or _has_other_parent(draft, grammar, i):
            draft.labels[i] = 0
            dropped = True
    return dropped


def _is_banned(draft: Draft, grammar: BitGrammar, unit: int, i: int) -> bool:
    """RETURNS (bool): Whether something below the child of a remote edge may not be there."""
    child, level = draft.children[i], grammar.levels[grammar.level_of(draft.labels[i])]
    categories = 0
    for k in draft.edges_of(child):
        categories |= draft.labels[k]
    if categories & level.banned:
        return True
    return (level.deep or _is_in_deep(draft, grammar, unit)) and _has_banned(draft, grammar, child)


def _has_banned(draft: Draft, grammar: BitGrammar, unit: int) -> bool:
    """RETURNS (bool): Whether an edge below a unit, however deep, has what is banned in Processes and States."""
    stack, seen = [unit], {unit}
    while stack:
        for i in draft.edges_of(stack.pop()):
            if draft.labels[i] & grammar.deep:
                return True
            if draft.labels[i] and draft.children[i] not in seen:
                seen.add(draft.children[i])
                stack.append(draft.children[i])
    return False


def _is_in_deep(draft: Draft, grammar: BitGrammar, unit: int) -> bool:
    """RETURNS (bool): Whether a unit is a Process or State, or in one."""
    stack, seen = [unit], {unit}
    while stack:
        for i in draft.edges_to(stack.pop()):
            if i < 0 or not draft.labels[i]:
                continue
            if draft.labels[i] & grammar.deep_in:
                return True
            if draft.edges[i].parent not in seen:
                seen.add(draft.edges[i].parent)
                stack.append(draft.edges[i].parent)
    return False


def _has_other_parent(draft: Draft, grammar: BitGrammar, i: int) -> bool:
    """RETURNS (bool): Whether a remote edge labels a unit as Connector that another edge labels so too."""
    if not draft.labels[i] & grammar.one_parent:
        return False
    others = (j for j in draft.edges_to(draft.children[i]) if j != i)
    return any(draft.labels[j] & grammar.one_parent for j in others)
