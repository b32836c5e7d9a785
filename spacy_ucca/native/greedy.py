# cython: boundscheck=False, wraparound=False, cdivision=True
"""Greedy search of the `tree` system, sentence by sentence, without a step of Python: it pays only if it is compiled.
As plain Python it says what it does; `parser.search` has the same in NumPy, for all sentences at once.
"""

from collections.abc import Sequence
from math import exp, log
from typing import Any

from spacy_ucca.native.rows import fill_row
from spacy_ucca.native.state import tree_apply, tree_key


def greedy_tree(
    program: Any,
    work: Any,
    codes: list[int],
    row: Any,
    states: Sequence[Any],
    syntaxes: Sequence[Any],
    places: Any,
    starts: Any,
    table: Any,
    values: Any,
    offsets: Any,
    flags: Any,
    bias: Any,
    output: Any,
    output_bias: Any,
    allowed: Any,
    guidelines: Any,
    moves: Any,
    labels: list[int],
    ranks: list[int],
    max_chain: int,
    max_swaps: int,
    active: Any,
    hidden: Any,
    scores: Any,
    log_probs: Any,
) -> bool:
    """Parse sentences, each until it is done.

    program (ndarray[int64]): The columns, from `columns.compile_columns`: tokens, then categories, then bit sets.
    work (ndarray[int64]): Room for 4 integers for each node.
    codes (List[int]): Not used by these columns; see `fill_rows`.
    row (ndarray[int64]): (n_columns,) room for a row.
    states (Sequence[State]): The state of each sentence, changed in place.
    syntaxes (Sequence[Syntax]): Its dependency tree.
    places (ndarray[int32]): For all sentences, one after the other, where their tokens are in the batch.
    starts (ndarray[int64]): (n_sentences,) where the places of each begin.
    table (ndarray[float32]): (n_tokens + 1, F, H) vectors of tokens in each slot; the last one is that of missing tokens.
    values (ndarray[float32]): (V + 1, H) vectors of the values of categories, and one of zeros.
    offsets (ndarray[int32]): (K,) where those of each category begin.
    flags (ndarray[float32]): (B * LABEL_BITS, H) vectors of the bits of all bit sets.
    bias (ndarray[float32]): (H,).
    output (ndarray[float32]): (H, A) weights of the scores.
    output_bias (ndarray[float32]): (A,).
    allowed (ndarray[uint8]): (n_guidelines, A) actions that each guidelines allow.
    guidelines (ndarray[int64]): (n_sentences,) those of each sentence.
    moves (ndarray[int32]): (A,) the type of each action.
    labels (List[int]): The label of each action.
    ranks (List[int]): The head priority of each label.
    max_chain (int): See `tree_key`.
    max_swaps (int): See `tree_key`.
    active (ndarray[int64]): (H + 4,) room for work.
    hidden (ndarray[float32]): (2, H + 4) room for work.
    scores (ndarray[float32]): (A,) room for work.
    log_probs (List[List[float]]): For each sentence, a list to which the log probability of each step is added.
    RETURNS (bool): Whether all scores were finite; if not, it stops there.
    """
    n_slots, width, missing = table.shape[1], table.shape[2], table.shape[0] - 1
    zero = values.shape[0] - 1
    n_categories, n_actions = offsets.shape[0], output.shape[1]
    n_bit_sets = row.shape[0] - n_slots - n_categories
    n_bits = flags.shape[0] // n_bit_sets if n_bit_sets else 0
    for i in range(len(states)):
        state, syntax, start, rules = states[i], syntaxes[i], starts[i], guidelines[i]
        found = log_probs[i]
        while not state.done:
            fill_row(program, work, codes, state, syntax, row)
            for k in range(width):
                hidden[0, k] = 0
                hidden[1, k] = 0
            for j in range(n_slots):
                row[j] = places[start + row[j]] if row[j] >= 0 else missing
            for j in range(0, n_slots - 3, 4):  # four at a time: sums stay in registers
                at, b, c, d = row[j], row[j + 1], row[j + 2], row[j + 3]
                for k in range(width):
                    hidden[0, k] = (
                        hidden[0, k]
                        + table[at, j, k]
                        + table[b, j + 1, k]
                        + table[c, j + 2, k]
                        + table[d, j + 3, k]
                    )
            for j in range(n_slots - n_slots % 4, n_slots):
                for k in range(width):
                    hidden[0, k] += table[row[j], j, k]
            j = 0
            while j < n_categories:
                at, b = row[n_slots + j] + offsets[j], zero
                c = d = zero
                if j + 1 < n_categories:
                    b = row[n_slots + j + 1] + offsets[j + 1]
                if j + 2 < n_categories:
                    c = row[n_slots + j + 2] + offsets[j + 2]
                if j + 3 < n_categories:
                    d = row[n_slots + j + 3] + offsets[j + 3]
                for k in range(width):
                    hidden[1, k] = (
                        hidden[1, k] + values[at, k] + values[b, k] + values[c, k] + values[d, k]
                    )
                j += 4
            for k in range(width):
                hidden[0, k] += hidden[1, k]
                hidden[1, k] = 0
            for j in range(n_bit_sets):
                left, at = row[n_slots + n_categories + j], j * n_bits
                while left:
                    if left & 1:
                        for k in range(width):
                            hidden[1, k] += flags[at, k]
                    left, at = left >> 1, at + 1
            for k in range(width):
                hidden[0, k] = hidden[0, k] + hidden[1, k] + bias[k]
            n = n_nan = 0
            for k in range(width):
                n_nan += hidden[0, k] != hidden[0, k]
            if n_nan:
                return False
            for k in range(width):  # without branches: nobody can foresee which are positive
                hidden[1, n], active[n] = hidden[0, k], k
                n += hidden[0, k] > 0
            while n & 3:
                hidden[1, n], active[n] = 0, 0
                n += 1
            for j in range(n_actions):
                scores[j] = 0
            for i4 in range(0, n, 4):
                w, x, y, z = hidden[1, i4], hidden[1, i4 + 1], hidden[1, i4 + 2], hidden[1, i4 + 3]
                at, b, c, d = active[i4], active[i4 + 1], active[i4 + 2], active[i4 + 3]
                for j in range(n_actions):
                    scores[j] += (
                        w * output[at, j] + x * output[b, j] + y * output[c, j] + z * output[d, j]
                    )
            key = tree_key(state, max_chain, max_swaps)
            best = stuck = -1
            for j in range(n_actions):
                scores[j] += output_bias[j]
                if scores[j] - scores[j] != 0:  # infinite, or not a number
                    return False
                if key >> moves[j] & 1:
                    if allowed[rules, j]:
                        if best < 0 or scores[j] > scores[best]:
                            best = j
                    elif stuck < 0 or scores[j] > scores[stuck]:
                        stuck = j
            is_stuck = best < 0  # nothing valid is allowed: what is valid is taken
            if is_stuck:
                best = stuck
            total, top = 0.0, scores[best]
            for j in range(n_actions):
                if key >> moves[j] & 1 and (is_stuck or allowed[rules, j]):
                    total += exp(scores[j] - top)
            found.append(-log(total))
            tree_apply(state, best, moves[best], labels[best], ranks[labels[best]])
    return True
