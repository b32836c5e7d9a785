"""The least that a parse of the `tree` system can still lose, by trying everything: slow, for comparison.

Written out once more on tuples, from the docstring of `TreeSystem`. An item is (its tokens as a bit set,
the labels of the edges made to units with exactly these tokens, number of NODEs in a row, whether it has
tokens of its own, whether it has children). The loss of a finished tree is the number of its edges that the gold
tree does not have plus the number of gold edges it does not have. Edges are compared by the tokens and
the label of their child; units with the same tokens in their order, as a longest common subsequence.
"""

from functools import cache

from spacy_ucca.transition import ROOT, Move
from spacy_ucca.transitions.tree import TreeSystem


def gold_chains(graph):
    """RETURNS (Dict[int, Tuple[str, ...]]): For each set of tokens, the labels of the gold units that have
    these, the innermost first."""
    chains = {}
    stack = list(graph.roots)
    while stack:
        unit = stack.pop()
        for child in unit.children:
            tokens = sum(1 << t for t in child.tokens())
            chains.setdefault(tokens, []).insert(0, child.label)
            stack.append(child)
    return {tokens: tuple(labels) for tokens, labels in chains.items()}


@cache
def common(a, b):
    if not a or not b:
        return 0
    if a[-1] == b[-1]:
        return common(a[:-1], b[:-1]) + 1
    return max(common(a[:-1], b), common(a, b[:-1]))


class BestReachable:
    """The least loss of all parses that go on from a state.

    graph (Graph): The gold graph: a tree.
    labels (Sequence[str]): The labels of the system.
    swaps (bool): Whether SWAP may be used.
    """

    def __init__(self, graph, labels, *, swaps=True):
        self.n = len(graph.words)
        self.gold = gold_chains(graph)
        self.labels = labels
        self.with_swaps = swaps
        self.memo = {}

    def loss(self, graph):
        """RETURNS (int): The loss of a finished tree."""
        chains = gold_chains(graph)
        made = sum(self.closed(tokens, labels) for tokens, labels in chains.items())
        return made + sum(map(len, self.gold.values()))

    def closed(self, tokens, made):
        """What the edges to units with these tokens add to the loss, the number of gold edges aside."""
        return len(made) - 2 * common(made, self.gold.get(tokens, ()))

    def more(self, tokens, made, label):
        """RETURNS (Tuple[int, Tuple[str, ...]]): The labels made with one more, those that no gold edge
        can match counted at once."""
        gold = self.gold.get(tokens, ())
        if label not in gold or made == gold:
            return 1, made
        return 0, (*made, label)

    def configuration(self, system, state):
        """RETURNS (tuple): A State in the form used here."""
        tokens = {}

        def item(node):
            if node < 0:
                return (1 << ~node, (), 0, True, False)
            made, below, own = [], node, tokens_of(node)
            while True:
                same = [c for c in state.children[below] if tokens_of(c) == own]
                if not same:
                    break
                below = same[0]
                made.insert(0, system.label_names[state.label[below]])
            kids = bool(state.children[node])
            kept = ()
            for label in made:
                _, kept = self.more(own, kept, label)
            return (own, kept, state.chain[node], bool(state.terminals[node]), kids)

        def tokens_of(node):
            if node not in tokens:
                tokens[node] = sum(1 << t for t in state.terminals[node])
                tokens[node] |= sum(tokens_of(c) for c in state.children[node])
            return tokens[node]

        exchanged = frozenset(frozenset(map(tokens_of, pair)) for pair in state.exchanged)
        stack = tuple(item(node) for node in state.stack if node != ROOT)
        return stack, tuple(item(node) for node in state.buffer), exchanged

    def steps(self, configuration):
        """YIELDS (Tuple[Move, str, int, tuple]): Valid actions, what each adds to the loss, and where it
        leads."""
        stack, buffer, exchanged = configuration
        if buffer:
            yield Move.SHIFT, "", 0, ((*stack, buffer[-1]), buffer[:-1], exchanged)
        if not stack:
            return
        rest, (own, made, chain, terminal, kids) = stack[:-1], stack[-1]
        none = frozenset()
        single = terminal and not kids and own & (own - 1) == 0
        for label in self.labels:
            if chain < TreeSystem.max_chain:
                added, after = self.more(own, made, label)
                item = (own, after, chain + 1, False, True)
                yield Move.NODE, label, added, ((*rest, item), buffer, none)
            if not rest:
                added = self.closed(own, (*made, label))
                yield Move.RIGHT_EDGE, label, added, ((), buffer, none)
        if not rest:
            return
        own1, made1, _, terminal1, kids1 = rest[-1]
        rest = rest[:-1]
        for label in self.labels:
            added = self.closed(own1, (*made1, label)) + self.closed(own, made)
            item = (own | own1, (), 0, terminal, True)
            yield Move.LEFT_EDGE, label, added, ((*rest, item), buffer, none)
            added = self.closed(own1, made1) + self.closed(own, (*made, label))
            item = (own | own1, (), 0, terminal1, True)
            yield Move.RIGHT_EDGE, label, added, ((*rest, item), buffer, none)
        if terminal1 and single:
            added = self.closed(own1, made1) + self.closed(own, made)
            item = (own | own1, (), 0, True, kids1)
            yield Move.MERGE, "", added, ((*rest, item), buffer, none)
        pair = frozenset((own, own1))
        if self.with_swaps and pair not in exchanged:
            after = ((*rest, stack[-1]), (*buffer, stack[-2]), exchanged | {pair})
            yield Move.SWAP, "", 0, after

    def least(self, configuration):
        """RETURNS (int): The least that the rest of the parse adds to the loss."""
        if configuration not in self.memo:
            if not configuration[0] and not configuration[1]:
                return 0
            self.memo[configuration] = min(
                added + self.least(after) for _, _, added, after in self.steps(configuration)
            )
        return self.memo[configuration]

    def costs(self, configuration):
        """RETURNS (Dict[Tuple[Move, str], int]): By how much each valid action makes the least possible
        loss greater."""
        least = self.least(configuration)
        return {
            (move, label): added + self.least(after) - least
            for move, label, added, after in self.steps(configuration)
        }
