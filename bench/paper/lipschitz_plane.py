#!/usr/bin/env python3
"""Theorem 2 in two dimensions with the learner of its proof: least squares over Lipschitz functions, as a quadratic programme.

    python bench/paper/lipschitz_plane.py OUT.csv [ROWS ...]

The people are those of `evenhand paper --rates` with D = 2, drawn by a generator of numpy. Every size has 20 draws; what OUT.csv has already is not
measured again. Prints a section of docs/rates.md. Needs numpy and scipy; shares no code with the project.

The programme is min Σ w (h - y)² such that |h_i - h_j| <= 2L |x_i - x_j| for every pair of rows. It begins with the six nearest neighbours of each row, is solved
by a primal-dual interior-point method [Mehrotra 1992] with a sparse factorisation, and takes in the pairs that are violated until there are none: labels are 0 or 1,
so that only pairs nearer than 1/(2L) can be. Regions lie farther apart than that, and are programmes of their own. Between rows h is the mean of its
largest and its smallest Lipschitz extension.
"""

import csv
import sys
import time
from pathlib import Path

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import splu
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

# Of the population; see crates/evenhand-experiments/src/rates/population.rs.
HEIGHT, SLANT, GAP, REGIONS = 0.4, 0.5, 0.5, 3
MULTIPLIERS, SHARE = (1.0, -0.6), 2 / 3
MEMBERS = np.array([[1, 1, 0], [0, 1, 1]])
EXPONENTS = np.array(MULTIPLIERS) @ (MEMBERS / SHARE - 1)

DRAWS, TEST_ROWS, VIOLATED = 20, 20_000, 1e-6


def logistic(margin):
    return 1 / (1 + np.exp(-margin))


def logit(share):
    return np.log(share / (1 - share))


def triangle(phase):
    """A wave of period 1 between -1 and 1, with corners."""
    at = phase % 1
    return np.where(at < 0.25, 4 * at, np.where(at < 0.75, 2 - 4 * at, 4 * at - 4))


def people(rows, random):
    """Regions, places, true probabilities, biased labels."""
    regions, along, across = random.integers(0, REGIONS, rows), random.random(rows), random.random(rows)
    truths = 0.5 + HEIGHT * triangle(along + SLANT * across)
    labels = (random.random(rows) < logistic(logit(truths) - EXPONENTS[regions])).astype(float)
    return regions, np.column_stack([along + (1 + GAP) * regions, across]), truths, labels


def lipschitz():
    """The constant L of true and biased probabilities."""
    truths = np.linspace(0.5 - HEIGHT, 0.5 + HEIGHT, 101)
    biased = logistic(logit(truths)[:, None] - EXPONENTS)
    steeper = (biased * (1 - biased) / (truths * (1 - truths))[:, None]).max()
    return 4 * HEIGHT * np.hypot(1, SLANT) * max(1, steeper)


def solve(weights, labels, pairs, most):
    """min Σ w (h - y)² such that |h_i - h_j| <= most for some pairs."""
    rows, (i, j) = len(labels), pairs.T
    every = np.arange(rows)

    def difference(values):
        return values[i] - values[j]

    def gathered(duals):
        return np.bincount(i, duals, rows) - np.bincount(j, duals, rows)

    def reach(values, steps):
        """How far a step may go until something positive is no more."""
        return min(1, 0.995 * np.min(np.where(steps < 0, -values / np.minimum(steps, -1e-300), np.inf)))

    values = np.full(rows, weights @ labels / weights.sum())
    slacks, duals = np.stack([most, most]), np.full((2, len(pairs)), 1e-2)
    for _ in range(100):
        apart = difference(values)
        primal = np.stack([apart, -apart]) + slacks - most
        dual = weights * (values - labels) + gathered(duals[0] - duals[1])
        gap = (slacks * duals).mean()
        if gap < 1e-10 and max(abs(primal).max(), abs(dual).max()) < 1e-9:
            return values
        slopes = (duals / slacks).sum(axis=0)
        own = weights + np.bincount(i, slopes, rows) + np.bincount(j, slopes, rows)
        entries = np.concatenate([own, -slopes, -slopes])
        places = np.concatenate([every, i, j]), np.concatenate([every, j, i])
        matrix = coo_matrix((entries, places), (rows, rows)).tocsc()
        factor = splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0, options={"SymmetricMode": True})

        def step(complementarity):
            right = (duals * primal - complementarity) / slacks
            moved = factor.solve(-dual - gathered(right[0] - right[1]))
            apart = difference(moved)
            slack_steps = -primal - np.stack([apart, -apart])
            return moved, slack_steps, (-complementarity - duals * slack_steps) / slacks

        _, by, dual_by = step(slacks * duals)
        after = ((slacks + reach(slacks, by) * by) * (duals + reach(duals, dual_by) * dual_by)).mean()
        moved, by, dual_by = step(slacks * duals + by * dual_by - gap * (after / gap) ** 3)
        far = min(reach(slacks, by), reach(duals, dual_by))
        values, slacks, duals = values + far * moved, slacks + far * by, duals + far * dual_by
    raise RuntimeError("the interior-point method did not converge")


def fit(places, labels, weights, steepest):
    """The function of least weighted squares, at the places themselves."""
    tree = cKDTree(places)
    near = tree.query(places, 7)[1][:, 1:]
    pairs = np.column_stack([np.repeat(np.arange(len(labels)), 6), near.ravel()])
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    within = tree.query_pairs(1 / steepest, output_type="ndarray")

    def most(pairs):
        return steepest * np.linalg.norm(places[pairs[:, 0]] - places[pairs[:, 1]], axis=1)

    bounds = most(within)
    while True:
        values = solve(weights, labels, pairs, most(pairs))
        excess = abs(values[within[:, 0]] - values[within[:, 1]]) - bounds
        violated = np.flatnonzero(excess > VIOLATED)
        if not len(violated):
            return values
        worst = violated[np.argsort(-excess[violated])][: len(labels)]
        pairs = np.unique(np.concatenate([pairs, np.sort(within[worst], axis=1)]), axis=0)


def extended(new, places, values, steepest):
    """Between rows: the mean of the largest and the smallest extension."""
    parts = np.array_split(new, max(1, len(new) * len(places) // 20_000_000))
    far = (steepest * cdist(part, places) for part in parts)
    return np.concatenate([((values - one).max(axis=1) + (values + one).min(axis=1)) / 2 for one in far])


def measure(rows, draw, test):
    """The root mean square errors with the weights of Proposition 1 and without any, and processor seconds of a fit."""
    random = np.random.default_rng([rows, draw])
    regions, places, _, labels = people(rows, random)
    steepest, start, errors = 2 * lipschitz(), time.process_time(), []
    for exponents in (EXPONENTS, np.zeros(REGIONS)):
        squares = 0.0
        for region in range(REGIONS):
            own, new = regions == region, test[0] == region
            positive = logistic(exponents[region])
            weights = np.where(labels[own] > 0, positive, 1 - positive)
            values = fit(places[own], labels[own], weights, steepest)
            found = extended(test[1][new], places[own], values, steepest)
            squares += ((found - test[2][new]) ** 2).sum()
        errors.append(np.sqrt(squares / TEST_ROWS))
    return [*errors, (time.process_time() - start) / 2]


def slope(errors):
    """Of logarithms, per draw: its mean and standard error."""
    sizes = np.log(sorted(errors))
    centred = sizes - sizes.mean()
    of_draws = np.log([errors[rows] for rows in sorted(errors)]).T @ centred / (centred @ centred)
    return f"{of_draws.mean():.3f} ± {of_draws.std(ddof=1) / np.sqrt(len(of_draws)):.3f}"


def shown(values):
    return f"{np.mean(values):.4f} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.4f}"


def section(lines):
    by_rows = {}
    for rows, _, *measured in lines:
        by_rows.setdefault(int(rows), []).append([float(one) for one in measured])
    of = [{rows: [line[at] for line in measured] for rows, measured in by_rows.items()} for at in range(2)]
    print("\n| rows | known λ | no weights | processor seconds of a fit |\n| --- | --- | --- | --- |")
    for rows in sorted(by_rows):
        seconds = np.mean([line[2] for line in by_rows[rows]])
        print(f"| {rows:,} | {shown(of[0][rows])} | {shown(of[1][rows])} | {seconds:.1f} |")
    print(f"| slope (−1/8 = -0.125 is guaranteed) | {slope(of[0])} | {slope(of[1])} | |")


def main():
    out, sizes = Path(sys.argv[1]), [int(one) for one in sys.argv[2:]] or [1_000, 3_162, 10_000, 31_623]
    lines = list(csv.reader(out.open()))[1:] if out.exists() else []
    known = {tuple(line[:2]) for line in lines}
    test = people(TEST_ROWS, np.random.default_rng(0))
    with out.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if not lines:
            writer.writerow(["rows", "draw", "known", "none", "seconds"])
        for rows in sizes:
            for draw in range(1, DRAWS + 1):
                if (str(rows), str(draw)) not in known:
                    errors = [f"{one:.6f}" for one in measure(rows, draw, test)]
                    lines.append([rows, draw, *errors])
                    writer.writerow(lines[-1])
                    file.flush()
    section(lines)


if __name__ == "__main__":
    main()
