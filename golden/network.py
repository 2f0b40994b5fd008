"""Three steps of a small network in numpy, in double precision: writes network.json beside itself.

    python golden/network.py

ReLU layers, a softmax, the mean of weighted log losses over a batch, Adam as its authors define it. Nothing of the
project is used. `crates/evenhand-network/src/tests.rs` compares its single precision with it.
"""

import json
from pathlib import Path

import numpy as np

ROWS, NUMBERS, SWITCHES, CLASSES = 6, 3, 4, 3
SIZES = [NUMBERS + SWITCHES, 5, 4, CLASSES]
RATE, FORGET, FORGET_SQUARE, SMALLEST = 0.01, 0.9, 0.999, 1e-8


def forward(layers, x):
    """What comes out of every layer, what went in first."""
    outputs = [x]
    for at, (weights, biases) in enumerate(layers):
        z = outputs[-1] @ weights + biases
        outputs.append(z if at == len(layers) - 1 else np.maximum(z, 0.0))
    return outputs


def softmax(z):
    """Probabilities."""
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def gradient(layers, x, labels, weights):
    """Of the mean over rows of weighted log losses."""
    outputs = forward(layers, x)
    delta = (softmax(outputs[-1]) - np.eye(CLASSES)[labels]) * (weights / len(x))[:, None]
    found = []
    for at in range(len(layers) - 1, -1, -1):
        found.insert(0, (outputs[at].T @ delta, delta.sum(axis=0)))
        delta = (delta @ layers[at][0].T) * (outputs[at] > 0.0)
    return found


def flat(layers):
    """Layer by layer: weights input by input, then biases."""
    return np.concatenate([np.concatenate([w.ravel(), b]) for w, b in layers]).tolist()


def main():
    """Train and write."""
    rng = np.random.default_rng(7)
    numbers = rng.normal(size=(ROWS, NUMBERS)).round(3)
    on = [[3, 5], [4, 5], [3, 6], [4], [3, 6], [4, 6]]
    x = np.hstack([numbers, np.zeros((ROWS, SWITCHES))])
    for row, features in enumerate(on):
        x[row, features] = 1.0
    labels, weights = np.array([0, 1, 2, 1, 0, 2]), np.array([1.0, 0.5, 2.0, 1.0, 1.5, 0.25])
    batches = [[0, 1, 2, 3], [5, 3, 1, 4], [2, 2, 0, 5]]
    layers = [(rng.normal(size=(i, o)).round(3), rng.normal(size=o).round(3)) for i, o in zip(SIZES, SIZES[1:])]
    start = flat(layers)
    means = [(np.zeros_like(w), np.zeros_like(b)) for w, b in layers]
    squares = [(np.zeros_like(w), np.zeros_like(b)) for w, b in layers]
    first = None
    for step, batch in enumerate(batches, start=1):
        by = gradient(layers, x[batch], labels[batch], weights[batch])
        first = first or flat(by)
        means = [tuple(FORGET * m + (1 - FORGET) * g for m, g in zip(*pair)) for pair in zip(means, by)]
        squares = [tuple(FORGET_SQUARE * v + (1 - FORGET_SQUARE) * g * g for v, g in zip(*pair)) for pair in zip(squares, by)]
        layers = [
            tuple(
                p - RATE * (m / (1 - FORGET**step)) / (np.sqrt(v / (1 - FORGET_SQUARE**step)) + SMALLEST)
                for p, m, v in zip(layer, mean, square)
            )
            for layer, mean, square in zip(layers, means, squares)
        ]
    found = {
        "made_by": "golden/network.py, numpy, double precision",
        "sizes": SIZES,
        "learning_rate": RATE,
        "numbers": numbers.tolist(),
        "on": on,
        "labels": labels.tolist(),
        "weights": weights.tolist(),
        "batches": batches,
        "start": start,
        "gradient": first,
        "end": flat(layers),
        "probabilities": softmax(forward(layers, x)[-1]).tolist(),
    }
    Path(__file__).with_name("network.json").write_text(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
