"""Corrected classifiers on Spark: the same bits as on one machine, however rows are spread.

Rows are encoded into compact blocks where they are, and kept there; a fit sends what it wants to know of them, and
merges the sums that come back. Only the DataFrame API is used; nothing runs in the JVM but Spark itself. Needs
``pip install evenhand[spark]``.
"""

from ._audit import audit
from ._estimator import EvenhandClassifier
from ._identify import identify
from ._model import EvenhandClassificationModel

__all__ = ["EvenhandClassificationModel", "EvenhandClassifier", "audit", "identify"]
