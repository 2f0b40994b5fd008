"""A PyTorch model trained even-handedly: the corrector gives weights, the loop is yours.

Run: pip install -r python/examples/requirements.txt && python python/examples/torch_loop.py
"""

from __future__ import annotations

import numpy as np
import torch

from evenhand import Corrector, audit
from evenhand.datasets import make_loans


def trained(X: torch.Tensor, y: torch.Tensor, weights: torch.Tensor) -> torch.nn.Module:
    """Train a small network on weighted rows, from the same start every time."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(X.shape[1], 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(200):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(model(X).squeeze(1), y, weight=weights)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return model


def main() -> None:
    """Correct for demographic parity between women and men."""
    people, approved, _ = make_loans(5000, random_state=1)
    numbers = people[["income", "history"]].assign(female=people["sex"] == "female").to_numpy(dtype=np.float32)
    X = torch.from_numpy((numbers - numbers.mean(axis=0)) / numbers.std(axis=0))
    y = torch.from_numpy(approved.to_numpy(dtype=np.float32))

    corrector = Corrector("demographic_parity", max_violation=0.02)
    weights = corrector.weights(approved, people["sex"])
    models = []
    while not corrector.done:
        models.append(trained(X, y, torch.from_numpy(weights.astype(np.float32))))
        with torch.no_grad():
            weights = corrector.update(torch.sigmoid(models[-1](X)).squeeze(1).numpy())
    print(f"{corrector.stop_} after {corrector.n_fits_} fits")
    with torch.no_grad():
        decided = (models[corrector.best_](X).squeeze(1) > 0).numpy().astype(int)
    print(audit(approved, decided, sensitive_features=people["sex"]))


if __name__ == "__main__":
    main()
