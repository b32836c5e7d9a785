"""The vote: graphs in, one graph out.

1. The sentences are those that most weight is for.
2. An edge to a unit gets the votes of all graphs that have an edge of the same category to a unit of the same words,
   punctuation aside: what the official metric counts. Of all trees that can be put together of their units
   (`reparsing.py`), the one is made for which the sum of these shares of the votes, each less a threshold, is
   greatest: the most right edges that can be expected at that price for each (minimum Bayes risk). If rules are to be
   followed, it is that of the trees that follow them (`by_rules.py`).
3. Punctuation, implicit units, remote edges and linkage hang on units, so they are counted after: each graph's
   go where its units went, and what then is the same is voted on together.

Of units, which stand in a tree because no other one was better, a share is what is for something over what is for and
against it. A vote against weighs what its graph does; one for it, that times the score of the edge, if scores count.
Of remote edges and implicit units, which a graph has because they are likely enough, it is how likely they are by all
graphs together: over what all weigh. Everything is summed up without rounding on the way, so that the order of the
graphs changes nothing.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import fsum, isfinite
from typing import NamedTuple, TypeVar

from ..bit_sets import first_token, tokens_in
from ..categories import PUNCTUATION
from ..errors import Errors, UccaError
from ..graph import EdgeTuple, Graph, GraphBuilder
from ..units import LINKAGE, PUNCT
from .ballots import Ballot, Chain, Label, Loose, Shape, align
from .by_rules import best_by_rules
from .reparsing import best_units

T = TypeVar("T", bound=tuple)
UnitKey = tuple[int, Label, int]


class Thresholds(NamedTuple):
    """What share of the votes something has to be above, if it fits together with the rest.

    Of probabilities, half the F1 that one expects gives the highest expected F1 (Lipton, Elkan and Naryanaswamy, 2014):
    so the defaults of remote edges and implicit units, for about 60 and 50 percent. Small shares say too little (of units
    with 15 percent, 22 are right, and 24 of implicit ones with 15 to 20), so that somewhat less than half is better.

    primary (float): Units, and linkage.
    remote (float): Remote edges.
    implicit (float): Implicit units.
    """

    primary: float = 0.35
    remote: float = 0.3
    implicit: float = 0.2


DEFAULT = Thresholds()
MAJORITY = Thresholds(0.5, 0.5, 0.5)


def vote(
    graphs: Sequence[Graph],
    weights: Sequence[float] | None = None,
    *,
    thresholds: Thresholds = DEFAULT,
    scored: bool = True,
    rules: bool = False,
    shares: bool = True,
) -> Graph:
    """Make one graph of several, of any parsers, by a vote.

    graphs (Sequence[Graph]): The graphs, over the same tokens, of one sentence or several.
    weights (Optional[Sequence[float]]): What the vote of each weighs; the same, if they are not given.
    thresholds (Thresholds): What share of the votes things need.
    scored (bool): Whether an edge's vote weighs more if its parser was surer of it (`Edge.score`). Where there is no
        score, the mean of all counts.
    rules (bool): Whether units are chosen together that follow the rules of UCCA. Else each is by itself, and what comes
        of it may break rules that all graphs follow.
    shares (bool): Whether the scores of edges to units with words are their shares of the votes; else they are, as those
        of others, how likely these are by all graphs together.
    RETURNS (Graph): The graph. Remote edges and implicit units are not bound to rules; see `repair.py`. Details of
        formats are not carried over.
    RAISES (UccaError): If there are no graphs, they are over different tokens, or there are not as many weights.
    """
    if not graphs:
        raise UccaError(Errors.UC860)
    weights = [1.0] * len(graphs) if weights is None else list(weights)
    check_weights(weights, len(graphs))
    for number, graph in enumerate(graphs, start=1):
        if graph.words != graphs[0].words:
            raise UccaError(Errors.UC862.format(number=number))
    scores = [graph.scores if scored else {} for graph in graphs]
    known = [score for found in scores for score in found.values()]
    usual = fsum(known) / len(known) if known else 1.0
    ballots = [Ballot(*each, usual) for each in zip(graphs, weights, scores, strict=True)]
    return _Count(ballots, thresholds, rules, shares).run()


def check_weights(weights: Sequence[float], n: int) -> None:
    """RAISES (UccaError): If these are not `n` positive numbers."""
    if len(weights) != n or not all(isfinite(weight) and weight > 0 for weight in weights):
        found = ", ".join(f"{weight:g}" for weight in weights)
        raise UccaError(Errors.UC861.format(n=n, found=found or "none"))


class _Count:
    """The votes, and the graph that comes of them."""

    def __init__(
        self, ballots: Sequence[Ballot], thresholds: Thresholds, rules: bool, shares: bool
    ) -> None:
        self.ballots = ballots
        self.thresholds = thresholds
        self.rules = rules
        self.score = self._share if shares else self._likelihood
        self.n_tokens = len(ballots[0].graph.words)
        first = ballots[0].graph
        self.punct = [
            self._share({b: b.weight for b in ballots if b.graph.punct[i]}) > 0.5
            for i in range(self.n_tokens)
        ]
        self.attached = [
            self._share({b: b.weight for b in ballots if b.graph.index.token_edge[i] >= 0}) >= 0.5
            for i in range(self.n_tokens)
        ]
        self.builder = GraphBuilder(first.words, punct=self.punct, paragraphs=first.paragraphs)
        self.roots: list[int] = []
        self.owner = [0] * self.n_tokens  # the sentence of each token
        self.chains: dict[int, list[int]] = {}  # by their words, the units that were kept
        self.labels: dict[int, tuple[Label, ...]] = {}
        # By words, label and how many there are already: the votes for a unit, and their share.
        self.votes: dict[UnitKey, dict[Ballot, float]] = {}
        self.shares: dict[UnitKey, float] = {}
        self.around: list[int] = []  # by token, the words of the smallest of them, 0 for the root
        self.outer: dict[int, int] = {}  # by words, those of the next larger one
        self.parent: dict[int, int] = {}
        # By ballot and unit: the unit that took its place, and whether it is the same and not one around it.
        self.places: dict[Ballot, dict[int, tuple[int, bool]]] = {b: {} for b in self.ballots}

    def run(self) -> Graph:
        """RETURNS (Graph): What was voted for."""
        self._add_sentences()
        if self.roots:
            self._add_units()
            self._find_places()
            self._add_words()
            self._add_loose()
            self._add_remotes()
            self._add_linkage()
        return self.builder.build()

    # Counting

    def _share(self, strengths: Mapping[Ballot, float]) -> float:
        """RETURNS (float): The share of votes for something, given what each vote for it weighs."""
        favour = fsum(strengths.values())
        against = fsum(b.weight for b in self.ballots if b not in strengths)
        return round(favour / (favour + against), 9) if favour else 0.0

    def _likelihood(self, strengths: Mapping[Ballot, float]) -> float:
        """RETURNS (float): How likely something is by all together, given what each vote for it weighs."""
        return round(fsum(strengths.values()) / fsum(b.weight for b in self.ballots), 9)

    def _most(self, votes: Iterable[tuple[Ballot, T]]) -> T:
        """RETURNS (Hashable): What most weight is for; of several, the greatest."""
        counts: dict[T, list[float]] = defaultdict(list)
        for ballot, what in votes:
            counts[what].append(ballot.weight)
        return max(counts, key=lambda what: (round(fsum(counts[what]), 9), what))

    # Sentences

    def _add_sentences(self) -> None:
        every = [(b, _sentences(b.graph, self.attached)) for b in self.ballots]
        divided = [(b, sentences) for b, sentences in every if sentences]
        if not divided:
            return
        sentences = self._most(divided)
        inside = {i: n for n, mask in enumerate(sentences) for i in tokens_in(mask)}
        before = min(inside.values(), default=0)
        for i in range(self.n_tokens):
            before = self.owner[i] = inside.get(i, before)
        self.roots = [self.builder.add_unit() for _ in sentences]
        number = {mask: n for n, mask in enumerate(sentences) if mask}
        for ballot, own in every:
            for n, (root, mask) in enumerate(zip(ballot.graph.roots, own, strict=True)):
                if own == sentences or mask in number:
                    mine = n if own == sentences else number[mask]
                    self.places[ballot][root.index] = self.roots[mine], True
                elif mask:
                    mine = self.owner[first_token(mask)]
                    self.places[ballot][root.index] = self.roots[mine], False

    # Units with words

    def _add_units(self) -> None:
        words = sum(1 << i for i, p in enumerate(self.punct) if self.attached[i] and not p)
        sentences = [0] * len(self.roots)
        for i, owner in enumerate(self.owner):
            sentences[owner] |= words & 1 << i
        for ballot in self.ballots:
            ballot.find_chains(words, sentences, self.owner)
        self.labels = self._choose(sentences)
        self.around = [0] * self.n_tokens
        for mask in sorted(self.labels, key=lambda mask: (-mask.bit_count(), mask)):
            outer = self.outer[mask] = self.around[first_token(mask)]
            top = self.chains[outer][-1] if outer else self.roots[self.owner[first_token(mask)]]
            chain = self.chains[mask] = []
            for key in _keys(mask, self.labels[mask]):
                label = key[1]
                unit = self.builder.add_unit(label[0])
                given = [
                    (b, b.categories(own))
                    for b in self.ballots
                    for own in b.chains.get(mask, ())
                    if b.label(own) == label
                ]
                edge = self.builder.add_edge(top, unit, *self._most(given))
                self.builder.add_score(edge, self.score(self.votes[key]))
                self.parent[unit] = top
                chain.append(unit)
                top = unit
            for i in tokens_in(mask):
                self.around[i] = mask

    def _choose(self, sentences: Sequence[int]) -> dict[int, Chain]:
        """RETURNS (Dict[int, Chain]): The units to have, by their words."""
        chains: dict[int, set[Chain]] = defaultdict(set)
        for ballot in self.ballots:
            for mask in ballot.chains:
                chains[mask].add(ballot.labels(mask))
        worth = {
            mask: {
                chain: fsum(x - self.thresholds.primary for x in self._shares(mask, chain))
                for chain in found
            }
            for mask, found in chains.items()
        }
        if self.rules:
            return best_by_rules(sentences, worth)
        best = {
            mask: max((round(x, 9), c) for c, x in found.items()) for mask, found in worth.items()
        }
        chosen = best_units({mask: value for mask, (value, _) in best.items()})
        return {mask: best[mask][1] for mask in chosen}

    def _shares(self, mask: int, chain: Chain) -> Iterator[float]:
        """YIELDS (float): The share of the votes for each of some units with the same words."""
        for key in _keys(mask, chain):
            if key not in self.shares:
                votes = ((b, b.vote_for(*key)) for b in self.ballots)
                self.votes[key] = {b: v for b, v in votes if v}
                self.shares[key] = self._share(self.votes[key])
            yield self.shares[key]

    def _find_places(self) -> None:
        """Say for each unit with words which of the kept ones took its place."""
        for ballot in self.ballots:
            places = self.places[ballot]
            for mask, chain in ballot.chains.items():
                if mask not in self.chains:
                    around = self.around[first_token(mask)]
                    while around and mask & ~around:
                        around = self.outer[around]
                    root = self.roots[self.owner[first_token(mask)]]
                    unit = self.chains[around][-1] if around else root
                    places.update((own, (unit, False)) for own in chain)
                    continue
                at = 0
                found = align(ballot.labels(mask), self.labels[mask])
                for own, place in zip(chain, found, strict=True):
                    at = place if place >= 0 else at
                    places[own] = self.chains[mask][at], True
            for own, mask in enumerate(ballot.masks):  # units that go beyond a sentence
                if mask and own not in places and ballot.graph.kinds[own] != LINKAGE:
                    places[own] = self.roots[self.owner[first_token(mask)]], False

    def _add_words(self) -> None:
        for i, mask in enumerate(self.around):
            if self.attached[i] and not self.punct[i]:
                unit = self.chains[mask][-1] if mask else self.roots[self.owner[i]]
                edges = [(b, b.graph.index.token_edge[i]) for b in self.ballots]
                found = [(b, b.graph.edge_tuples[e].categories) for b, e in edges if e >= 0]
                self.builder.add_terminal(unit, i, *self._most(found))

    # What hangs on units

    def _add_loose(self) -> None:
        """Add what has no words: punctuation, each of its tokens once, and implicit units."""
        votes: dict[tuple[int, Shape, int], dict[Ballot, Loose]] = {}
        for ballot in self.ballots:
            copies: dict[tuple, int] = defaultdict(int)
            for loose in ballot.find_loose(self.attached):
                if loose.anchor not in self.places[ballot]:
                    continue  # a root without tokens, of a graph with other sentences
                anchor, same = self.places[ballot][loose.anchor]
                if not same and not _tokens_of(loose.shape):
                    continue  # an implicit unit is one of its unit, not of those around
                number = copies[anchor, loose.shape]
                votes.setdefault((anchor, loose.shape, number), {})[ballot] = loose
                copies[anchor, loose.shape] += 1
        shares = {}
        for what, found in votes.items():
            # Punctuation has to be somewhere, as words have; an implicit unit need not be there at all.
            if _tokens_of(what[1]):
                shares[what] = self._share({b: b.strength(own.edge) for b, own in found.items()})
            else:
                shares[what] = self._likelihood({b: b.covert(own.edge) for b, own in found.items()})
        missing = {i for i, p in enumerate(self.punct) if p and self.attached[i]}
        nearest: dict[int, int] = {}
        for what in sorted(votes, key=lambda what: (-shares[what], what)):
            anchor, shape, _ = what
            tokens = _tokens_of(shape)
            for token in tokens:
                nearest.setdefault(token, anchor)
            if tokens and not missing.issuperset(tokens):
                continue  # somewhere else already
            if not tokens and shares[what] <= self.thresholds.implicit:
                continue
            missing.difference_update(tokens)
            units = [(b, loose.units) for b, loose in votes[what].items()]
            made = self._make(anchor, shape, shares[what], units)
            for ballot, loose in votes[what].items():
                self.places[ballot].update(
                    (own, (unit, True)) for own, unit in zip(loose.units, made, strict=True)
                )
        for token in sorted(missing & nearest.keys()):
            unit = self.builder.add_unit(PUNCT)
            self.builder.add_edge(nearest[token], unit, PUNCTUATION)
            self.builder.add_terminal(unit, token)

    def _make(
        self,
        parent: int,
        shape: Shape,
        share: float,
        voted: Sequence[tuple[Ballot, tuple[int, ...]]],
    ) -> list[int]:
        """Add something without words, given what has that shape in the graphs.

        RETURNS (List[int]): Its units, from the top down."""
        kind, what, below = shape
        if not kind:
            self.builder.add_terminal(parent, what, *below)
            return []
        unit = self.builder.add_unit(kind)
        categories = self._most((b, b.categories(own[0])) for b, own in voted)
        self.builder.add_score(self.builder.add_edge(parent, unit, *categories), share)
        self.parent[unit] = parent
        made = [unit]
        for part in below:
            made += self._make(unit, part, share, [(b, own[len(made) :]) for b, own in voted])
        return made

    def _add_remotes(self) -> None:
        votes: dict[tuple[int, int], dict[Ballot, tuple[float, tuple[str, ...]]]] = {}
        for ballot in self.ballots:
            places = self.places[ballot]
            for i, edge in enumerate(ballot.graph.edge_tuples):
                if not edge.remote or edge.parent not in places or edge.child not in places:
                    continue
                child, same = places[edge.child]
                if same:
                    found = votes.setdefault((places[edge.parent][0], child), {})
                    own = ballot.strength(i), edge.categories
                    found[ballot] = max(own, found.get(ballot, own))
        shares = {
            ends: self._likelihood({b: strength for b, (strength, _) in found.items()})
            for ends, found in votes.items()
        }
        below: dict[int, set[int]] = defaultdict(set)
        for unit, parent in self.parent.items():
            below[parent].add(unit)
        for parent, child in sorted(votes, key=lambda ends: (-shares[ends], ends)):
            ends = parent, child
            if shares[ends] <= self.thresholds.remote or _reaches(below, child, parent):
                continue
            if child in below[parent]:
                continue
            below[parent].add(child)
            categories = self._most((b, tags) for b, (_, tags) in votes[ends].items())
            made = self.builder.add_edge(parent, child, *categories, remote=True)
            self.builder.add_score(made, shares[ends])

    def _add_linkage(self) -> None:
        votes: dict[tuple[tuple, int], dict[Ballot, float]] = {}
        for ballot in self.ballots:
            copies: dict[tuple, int] = defaultdict(int)
            for unit in ballot.graph.linkages:
                edges = [ballot.graph.edge_tuples[i] for i in ballot.graph.index.out[unit.index]]
                found = [self.places[ballot].get(edge.child, (-1, False)) for edge in edges]
                if not all(same for _, same in found):
                    continue
                what = tuple(
                    sorted((child, *e[2:]) for e, (child, _) in zip(edges, found, strict=True))
                )
                votes.setdefault((what, copies[what]), {})[ballot] = ballot.weight
                copies[what] += 1
        for ends, number in sorted(votes):
            if self._share(votes[ends, number]) > self.thresholds.primary:
                made = self.builder.add_unit(LINKAGE)
                self.builder.edges += [EdgeTuple(made, *end) for end in ends]


def _keys(mask: int, chain: Chain) -> Iterator[UnitKey]:
    """YIELDS (Tuple[int, Label, int]): For each of some units with the same words: these, its label, and how many with it
    there are already."""
    copies: dict[Label, int] = defaultdict(int)
    for label in chain:
        yield mask, label, copies[label]
        copies[label] += 1


def _sentences(graph: Graph, attached: Sequence[bool]) -> tuple[int, ...]:
    """RETURNS (Tuple[int, ...]): The tokens under each root."""
    masks = (
        (graph.index.masks[root.index] << graph.index.starts[root.index]) for root in graph.roots
    )
    wanted = sum(1 << i for i, a in enumerate(attached) if a)
    return tuple(mask & wanted for mask in masks)


def _reaches(below: Mapping[int, set[int]], start: int, end: int) -> bool:
    stack, seen = [start], {start}
    while stack:
        unit = stack.pop()
        if unit == end:
            return True
        for child in below.get(unit, ()):
            if child not in seen:
                seen.add(child)
                stack.append(child)
    return False


def _tokens_of(shape: tuple) -> list[int]:
    kind, what, below = shape
    return [token for part in below for token in _tokens_of(part)] if kind else [what]
