#!/usr/bin/env python3
"""What may have made the published unconstrained row of Table 2: a network of its own, in numpy, with one thing changed at a time.

    python bench/paper/digits_variants.py DATA [VARIANT ...]
    python bench/paper/digits_variants.py DATA --by-steps

DATA is the folder `mnist` (`evenhand data get mnist`). Without a variant all of VARIANTS, about a minute of one processor each. Prints a line of CSV
for each: accuracy by the true labels of the test images, and their share decided for 2; accuracy after the calibration of the paper's appendix, after
the same with the threshold of the training rows, and if any images decided for 2 were taken in place of the least probable; and how many training rows
are decided as they are labelled. With --by-steps one network of the notebook, looked at after more and more steps: accuracy and share decided for 2, accuracy after
calibration, and if the least probable tenth of the images decided for 2 is changed. Needs numpy alone. It shares no code with the project: that its first line is what `evenhand paper --table 2` shows
says that both are right.
"""

import gzip
import sys
from pathlib import Path

import numpy as np

# One thing changed at a time; the rest is the notebook's.
USUAL = {"layers": "glorot", "scale": 255, "labels": "any", "batches": "drawn", "steps": 10_000}
VARIANTS = {
    "notebook": {},
    "first-weights-0.1": {"layers": "truncated"},
    "pixels-to-255": {"scale": 1},
    "labels-of-others": {"labels": "others"},
    "labels-with-replacement": {"labels": "replacement"},
    "batches-by-passes": {"batches": "passes"},
    "batches-in-file-order": {"batches": "file"},
    "steps-20000": {"steps": 20_000},
    "weights-of-loop-100": {"batches": "weighted"},
    "true-labels": {"labels": "true"},
}
# When one network is looked at.
LOOKS = (10_000, 15_000, 20_000, 22_500, 25_000, 27_500, 30_000)
# What the authors' notebook printed of its last loop: rows labelled 2 had this share of all weights.
LAST_SHARE = 0.0859
WIDTH, LAYERS, BATCH, RATE, CLASS = 512, 3, 50, 1e-3, 2


def idx(folder, name, start):
    """The bytes of a file after its head, gzipped or not."""
    path = next(path for path in (folder / name, folder / f"{name}.gz") if path.exists())
    read = gzip.open if path.suffix == ".gz" else open
    with read(path, "rb") as file:
        return np.frombuffer(file.read(), np.uint8, offset=start)


def images(folder, part):
    return idx(folder, f"{part}-images-idx3-ubyte", 16).reshape(-1, 784).astype(np.float32)


def labels(folder, part):
    return idx(folder, f"{part}-labels-idx1-ubyte", 8).astype(np.int64)


def biased(truth, how):
    """Labels of which a fifth was set to 2, by the authors' seed."""
    random, count = np.random.RandomState(12345), len(truth) // 5
    observed = truth.copy()
    if how == "any":
        observed[random.permutation(len(truth))[:count]] = CLASS
    elif how == "others":
        observed[random.permutation(np.flatnonzero(truth != CLASS))[:count]] = CLASS
    elif how == "replacement":
        observed[random.randint(0, len(truth), count)] = CLASS
    return observed


def first_weights(how, random):
    sizes = [784] + [WIDTH] * LAYERS + [10]
    weights = []
    for rows, columns in zip(sizes, sizes[1:], strict=False):
        reach = np.sqrt(6 / (rows + columns))
        own = random.uniform(-reach, reach, (rows, columns))
        bias = np.zeros(columns)
        if how == "truncated":  # as in tutorials of TensorFlow of the time
            own = random.normal(0, 0.1, (rows, columns))
            while (far := np.abs(own) > 0.2).any():
                own[far] = random.normal(0, 0.1, far.sum())
            bias += 0.1
        weights += [own.astype(np.float32), bias.astype(np.float32)]
    return weights


def forward(weights, rows):
    outputs = [rows]
    for at in range(0, len(weights), 2):
        rows = outputs[-1] @ weights[at] + weights[at + 1]
        outputs.append(np.maximum(rows, 0, out=rows) if at + 2 < len(weights) else rows)
    return outputs


def batches(how, observed, random):
    """Places of batches without end."""
    rows, own = len(observed), observed == CLASS
    sums = np.cumsum(np.where(own, LAST_SHARE / own.sum(), (1 - LAST_SHARE) / (~own).sum()))
    while how == "drawn":
        yield random.randint(0, rows, BATCH)
    while how == "weighted":
        yield np.searchsorted(sums, random.random_sample(BATCH) * sums[-1], side="right")
    while True:
        order = random.permutation(rows) if how == "passes" else np.arange(rows)
        yield from order.reshape(-1, BATCH)


def train(rows, observed, variant, looks=()):
    """The weights after some steps, and after the last."""
    random = np.random.RandomState(1)
    weights = first_weights(variant["layers"], random)
    first, second = ([np.zeros_like(one) for one in weights] for _ in range(2))
    steps = range(1, variant["steps"] + 1)
    for step, batch in zip(steps, batches(variant["batches"], observed, random), strict=False):
        outputs = forward(weights, rows[batch])
        last = outputs[-1] - outputs[-1].max(axis=1, keepdims=True)
        delta = np.exp(last)
        delta /= delta.sum(axis=1, keepdims=True)
        delta[np.arange(BATCH), observed[batch]] -= 1
        delta /= BATCH
        rate = np.float32(RATE * np.sqrt(1 - 0.999**step) / (1 - 0.9**step))
        for at in range(len(weights) - 2, -2, -2):
            before = (delta @ weights[at].T) * (outputs[at // 2] > 0) if at else None
            for place, gradient in ((at, outputs[at // 2].T @ delta), (at + 1, delta.sum(axis=0))):
                first[place] *= np.float32(0.9)
                first[place] += np.float32(0.1) * gradient
                gradient *= gradient
                second[place] *= np.float32(0.999)
                second[place] += np.float32(0.001) * gradient
                np.sqrt(second[place], out=gradient)
                gradient += np.float32(1e-8)
                np.divide(first[place], gradient, out=gradient)
                gradient *= rate
                weights[place] -= gradient
            delta = before
        if step in looks or step == variant["steps"]:
            yield step, weights


def probabilities(outputs):
    """Of class 2."""
    shifted = outputs.astype(np.float64) - outputs.max(axis=1, keepdims=True)
    return np.exp(shifted[:, CLASS]) / np.exp(shifted).sum(axis=1)


def without(outputs, dropped):
    """Decisions, of which some become what is second."""
    decisions, others = outputs.argmax(axis=1), outputs.copy()
    others[:, CLASS] = -np.inf
    decisions[dropped] = others[dropped].argmax(axis=1)
    return decisions


def own(outputs):
    """The rows decided for 2, the least probable first, and how many of them are more than a tenth of all."""
    rows = np.flatnonzero(outputs.argmax(axis=1) == CLASS)
    return rows[np.argsort(probabilities(outputs)[rows])], max(0, len(rows) - len(outputs) // 10)


def calibrations(outputs, known, test):
    """Accuracy if the least probable are dropped, those below the threshold of known rows, and any."""
    rows, surplus = own(outputs)
    probability, (others, more) = probabilities(outputs), own(known)
    below = rows[probability[rows] < probabilities(known)[others[more]]]
    drawn = [np.random.RandomState(seed).permutation(rows)[:surplus] for seed in range(20)]
    return [(without(outputs, dropped) == test).mean() for dropped in (rows[:surplus], below)] + [
        np.mean([(without(outputs, dropped) == test).mean() for dropped in drawn])
    ]


def by_steps(folder, truth, test):
    rows, new = (images(folder, part) / np.float32(USUAL["scale"]) for part in ("train", "t10k"))
    print("steps,accuracy,decided_2,calibrated,tenth")
    for step, weights in train(rows, biased(truth, "any"), {**USUAL, "steps": LOOKS[-1]}, LOOKS):
        outputs = forward(weights, new)[-1]
        places, surplus = own(outputs)
        dropped = [(without(outputs, places[:count]) == test).mean() for count in (0, surplus, len(places) // 10)]
        shares = [dropped[0], len(places) / len(test), *dropped[1:]]
        print(step, *(f"{share:.4f}" for share in shares), sep=",", flush=True)


def main():
    folder, asked = Path(sys.argv[1]), sys.argv[2:] or list(VARIANTS)
    truth, test = labels(folder, "train"), labels(folder, "t10k")
    if asked == ["--by-steps"]:
        return by_steps(folder, truth, test)
    print("variant,accuracy,decided_2,calibrated,by_training_rows,any,training_as_labelled")
    for name in asked:
        variant = {**USUAL, **VARIANTS[name]}
        rows, new = (images(folder, part) / np.float32(variant["scale"]) for part in ("train", "t10k"))
        observed = biased(truth, variant["labels"])
        ((_, weights),) = train(rows, observed, variant)
        outputs = forward(weights, new)[-1]
        known = np.concatenate([forward(weights, part)[-1] for part in np.array_split(rows, 20)])
        decisions = outputs.argmax(axis=1)
        shares = [(decisions == test).mean(), (decisions == CLASS).mean()]
        shares += [*calibrations(outputs, known, test), (known.argmax(axis=1) == observed).mean()]
        print(name, *(f"{share:.4f}" for share in shares), sep=",", flush=True)


if __name__ == "__main__":
    main()
