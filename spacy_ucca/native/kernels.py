# cython: boundscheck=False, wraparound=False, cdivision=True
"""Loops over arrays that pay only if they are compiled: `kernels.pxd` gives the C types, `load.py` says
whether they are. As plain Python they say what they do, and tests hold NumPy's way against them.
"""

from math import exp, log
from typing import Any


def sum_rows(
    table: Any,
    tokens: Any,
    values: Any,
    categories: Any,
    flags: Any,
    bits: Any,
    bias: Any,
    out: Any,
) -> None:
    """The hidden vectors of rows, before their nonlinearity: fast where it is compiled, and only there.
    The order of additions is that of `greedy_tree`.

    table (ndarray[float32]): (n_tokens + 1, F, H): vectors of tokens in each slot; the last one is that
        of missing tokens.
    tokens (ndarray[int32]): (n, F) token columns, -1 where there is none.
    values (ndarray[float32]): (V, H): vectors of the values of categories.
    categories (ndarray[int32]): (n, K): category columns.
    flags (ndarray[float32]): (B * LABEL_BITS, H): vectors of the bits of all bit sets.
    bits (ndarray[int64]): (n, B): bit sets.
    bias (ndarray[float32]): (H,): is added to all.
    out (ndarray[float32]): (n + 1, H): where sums go; zeros. The last row is room for work.
    """
    n, width, missing = tokens.shape[0], table.shape[2], table.shape[0] - 1
    n_bits = flags.shape[0] // max(bits.shape[1], 1)
    for i in range(n):
        for j in range(tokens.shape[1]):
            row = tokens[i, j]
            if row < 0:
                row = missing
            for k in range(width):
                out[i, k] += table[row, j, k]
        for k in range(width):
            out[n, k] = 0
        for j in range(categories.shape[1]):
            row = categories[i, j]
            for k in range(width):
                out[n, k] += values[row, k]
        for k in range(width):
            out[i, k] += out[n, k]
            out[n, k] = 0
        for j in range(bits.shape[1]):
            left, row = bits[i, j], j * n_bits
            while left:
                if left & 1:
                    for k in range(width):
                        out[n, k] += flags[row, k]
                left, row = left >> 1, row + 1
        for k in range(width):
            out[i, k] = out[i, k] + out[n, k] + bias[k]


def learn_rows(
    ids: Any,
    classes: Any,
    mask: Any,
    rate: float,
    table: Any,
    numbers: Any,
    counts: Any,
    early: Any,
    rows: Any,
    weights: Any,
    delays: Any,
    updates: Any,
    sizes: Any,
    scores: Any,
    found: Any,
) -> int:
    """`AveragedPerceptron.learn`, in arrays that have room for all that can come of it.

    ids (ndarray[uint64]): (n, F): the features of each row, 0 for none.
    classes (ndarray[int64]): (n,) the right class of each.
    mask (ndarray[uint8]): (n, A): 1 where a class may be chosen; one at least is.
    rate (float): The learning rate.
    table (ndarray[uint64]): (size of the hash table,) ids of features, 0 where there is none.
    numbers (ndarray[int32]): (size of the hash table,) their numbers.
    counts (ndarray[int32]): By the number of a feature: how many updates it was in.
    early (ndarray[int32]): By the number: (MINUPDATE - 1,) the first of these.
    rows (ndarray[int32]): By the number: the row of its weights, 0 for none.
    weights (ndarray[float32]): (n_rows, A).
    delays (ndarray[float32]): (n_rows, A).
    updates (ndarray[float64]): (n_updates, 4): after how many rows, rate, the right class, the guessed one.
    sizes (ndarray[int64]): (4,) the number of features, of rows with that of no weights, of updates, of rows seen.
    scores (ndarray[float32]): (A,) room for work.
    found (ndarray[int64]): (F,) room for work: where features are in the hash table.
    RETURNS (int): How many rows were wrong.
    """
    n_features, n_classes, last = ids.shape[1], weights.shape[1], table.shape[0] - 1
    n_early, wrong = early.shape[1], 0
    for i in range(ids.shape[0]):
        for k in range(n_classes):
            scores[k] = 0
        for j in range(n_features):
            if not ids[i, j]:
                continue
            at = int(ids[i, j]) & last
            while table[at] and table[at] != ids[i, j]:
                at = (at + 1) & last
            found[j] = at
            row = rows[numbers[at]] if table[at] else 0
            if row:
                for k in range(n_classes):
                    scores[k] += weights[row, k]
        guess, right = -1, classes[i]
        for k in range(n_classes):
            if mask[i, k] and (guess < 0 or scores[k] > scores[guess]):
                guess = k
        if guess != right:
            wrong += 1
            update, delay = sizes[2], sizes[3] * rate
            sizes[2] += 1
            updates[update, 0], updates[update, 1] = sizes[3], rate
            updates[update, 2], updates[update, 3] = right, guess
            for j in range(n_features):
                if not ids[i, j]:
                    continue
                at = found[j]
                while table[at] and table[at] != ids[i, j]:  # taken by a feature of this row since
                    at = (at + 1) & last
                if not table[at]:
                    sizes[0] += 1
                    table[at], numbers[at] = ids[i, j], sizes[0]
                number = numbers[at]
                count = counts[number]
                counts[number] += 1
                if count < n_early:
                    early[number, count] = update
                    continue
                if count == n_early:
                    row = sizes[1]
                    sizes[1] += 1
                    rows[number] = row
                    for k in range(n_early):
                        before = early[number, k]
                        old = updates[before, 1]
                        a, b = int(updates[before, 2]), int(updates[before, 3])
                        weights[row, a] += old
                        weights[row, b] -= old
                        delays[row, a] += old * updates[before, 0]
                        delays[row, b] -= old * updates[before, 0]
                row = rows[number]
                weights[row, right] += rate
                weights[row, guess] -= rate
                delays[row, right] += delay
                delays[row, guess] -= delay
        sizes[3] += 1
    return wrong


def extend_parses(
    scores: Any,
    mask: Any,
    owners: Any,
    totals: Any,
    done: Any,
    width: int,
    least: float,
    norms: Any,
    parses: Any,
    actions: Any,
    likely: Any,
    log_probs: Any,
) -> int:
    """Choose how the parses of each sentence go on, the first on ties. One that has ended can only wait, which is the action
    after the last one.

    scores (ndarray[float32]): (n_going, A): of parses that have not ended.
    mask (ndarray[uint8]): (n_going, A): 1 where an action is valid; one at least is.
    owners (ndarray[int64]): (n,): the sentence of each parse; those of a sentence are together.
    totals (ndarray[float64]): (n,): how likely each parse is.
    done (ndarray[uint8]): (n,): 1 where one has ended.
    width (int): How many of each sentence go on.
    least (float): By how much one may be less likely than the likeliest of its sentence.
    norms (ndarray[float64]): (n,): room for work.
    parses (ndarray[int64]): Where the parses go that go on: by sentence, the likeliest first. This array and the next
        ones have room for `width` of each sentence, or for all.
    actions (ndarray[int64]): Where their actions go.
    likely (ndarray[float64]): Where it goes how likely each parse is then.
    log_probs (ndarray[float64]): Where it goes how likely each action is.
    RETURNS (int): How many go on.
    """
    n, n_actions = owners.shape[0], scores.shape[1]
    begin, row, found = 0, 0, 0
    while begin < n:
        first, after, end, best = found, row, begin, -1e308
        while end < n and owners[end] == owners[begin]:
            value = totals[end]
            if not done[end]:
                top, total = -1e308, 0.0
                for j in range(n_actions):
                    step = float(scores[after, j])
                    if mask[after, j] and step > top:
                        top = step
                for j in range(n_actions):
                    if mask[after, j]:
                        total += exp(float(scores[after, j]) - top)
                norms[end] = log(total) + top
                value += top - norms[end]
                after += 1
            if value > best:
                best = value
            end += 1
        for i in range(begin, end):
            for j in range(n_actions + 1):
                step = 0.0
                if done[i]:
                    if j < n_actions:
                        continue
                else:
                    if j == n_actions or not mask[row, j]:
                        continue
                    step = scores[row, j] - norms[i]
                value = step + totals[i]
                if value < best + least:
                    continue
                at = found
                if found - first < width:
                    found += 1
                elif likely[found - 1] < value:
                    at = found - 1
                else:
                    continue
                while at > first and likely[at - 1] < value:
                    parses[at], actions[at] = parses[at - 1], actions[at - 1]
                    likely[at], log_probs[at] = likely[at - 1], log_probs[at - 1]
                    at -= 1
                parses[at], actions[at], likely[at], log_probs[at] = i, j, value, step
            if not done[i]:
                row += 1
        begin = end
    return found


def lstm_step(
    gates: Any, rows: Any, products: Any, bias: Any, before: Any, cells: Any, hidden: Any
) -> None:
    """One step of an LSTM, all sequences: from what goes into the gates to the next hidden vectors.

    gates (ndarray[float32]): (n_tokens, 4 * H): the products of inputs and weights. Input, forget, output, candidate.
    rows (ndarray[int64]): (n,) the token of each sequence.
    products (ndarray[float32]): (n, 4 * H): those of the hidden vectors before; what the gates let through comes in
        their place.
    bias (ndarray[float32]): (4 * H,).
    before (ndarray[float32]): (n, H): the cells before.
    cells (ndarray[float32]): (n, H) where cells go.
    hidden (ndarray[float32]): (n, H) where hidden vectors go.
    """
    width, half = cells.shape[1], 0.5
    for i in range(cells.shape[0]):
        row = rows[i]
        for k in range(3 * width):  # a sigmoid is half of a tanh
            x = tanh(half * (gates[row, k] + products[i, k] + bias[k]))
            products[i, k] = half + half * x
        for k in range(3 * width, 4 * width):
            products[i, k] = tanh(gates[row, k] + products[i, k] + bias[k])
        for k in range(width):
            x = products[i, k] * products[i, 3 * width + k]
            cells[i, k] = x + products[i, width + k] * before[i, k]
        for k in range(width):
            hidden[i, k] = products[i, 2 * width + k] * tanh(cells[i, k])


def tanh(x: float) -> float:
    """The hyperbolic tangent by Lambert's continued fraction, to 1e-6: sums and products alone, which compilers make
    into instructions for several numbers at once. In the order of `layers.bilstm.tanh`."""
    limit, a, b, c, d, e = 7.4, 13749310575.0, 1964187225.0, 64324260.0, 675675.0, 2145.0
    f, g, h, i, j = 6547290750.0, 413513100.0, 7567560.0, 45045.0, 66.0
    x = limit if x > limit else x
    x = -limit if x < -limit else x
    s = x * x
    above = x * (a + s * (b + s * (c + s * (d + s * (e + s)))))
    below = a + s * (f + s * (g + s * (h + s * (i + s * j))))
    return above / below
