"""Rows for the tests, the sessions they run in, and all bits of a model in one digest."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import SparkSession

from evenhand.spark import EvenhandClassificationModel, EvenhandClassifier

ROWS = 12_000
FEATURES = ["sex", "race", "job", "age", "amount"]


def session(master: str) -> SparkSession:
    """Start Spark with little memory, and nothing that listens beyond this machine."""
    # Workers are this Python, with the package in it.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        # Executors look for each other anew: one that has replaced another takes copies at once, not after a minute.
        "spark.storage.cachedPeersTtl": "100",
    }
    builder = SparkSession.builder.appName("evenhand")
    builder = builder.remote(master.removeprefix("connect:")) if "connect:" in master else builder.master(master)
    # A server of Spark Connect has settings of its own.
    for name, value in settings.items() if "connect:" not in master else ():
        builder = builder.config(name, value)
    started = builder.getOrCreate()
    if "connect:" not in master:
        started.sparkContext.setLogLevel("ERROR")
    return started


def people(classes: int = 2) -> pd.DataFrame:
    """Draw rows with texts, numbers of few values and of many, missing values of each kind, and weights."""
    rng = np.random.default_rng(3)
    sex = rng.choice(["Female", "Male"], ROWS)
    race = rng.choice(["Black", "White", "Asian"], ROWS, p=[0.2, 0.6, 0.2])
    age = rng.integers(18, 80, ROWS)
    amount = np.where(rng.random(ROWS) < 0.05, np.nan, rng.lognormal(3, 1, ROWS))
    score = 0.5 * (sex == "Male") + 0.3 * (race == "White") + np.nan_to_num(np.log(amount) - 3) + 0.02 * age - 1.7
    chance = 1 / (1 + np.exp(-score))
    label = (rng.random((classes - 1, ROWS)) < chance).sum(axis=0)
    job = rng.choice(["a", "b", "c", None], ROWS)
    weight = rng.integers(1, 4, ROWS).astype(float)
    columns = {"sex": sex, "race": race, "job": job, "age": age, "amount": amount, "weight": weight, "label": label}
    return pd.DataFrame(columns).assign(id=np.arange(ROWS))


def classifier(**settings: Any) -> EvenhandClassifier:
    asked = {
        "labelCol": "label",
        "featuresCols": FEATURES,
        "sensitiveCols": ["sex", "race"],
        "weightCol": "weight",
        "sampleRows": 3_000,
    }
    return EvenhandClassifier(**(asked | settings))


def bits(model: EvenhandClassificationModel) -> tuple[list[float], dict[str, float]]:
    body = json.loads(model._fitted().to_json())
    return body["learner"]["model"]["coefficients"], model.multipliers


def digest(body: dict[str, Any], decisions: Sequence[float]) -> str:
    """Hash coefficients, multipliers and decisions, each with all of its bits."""
    numbers = [*body["learner"]["model"]["coefficients"], *(one["value"] for one in body["multipliers"]), *decisions]
    return hashlib.sha256(struct.pack(f"<{len(numbers)}d", *numbers)).hexdigest()


def digest_on_spark(model: EvenhandClassificationModel, frame: Any) -> str:
    """Hash a model with what Spark decides by it."""
    scored = model.transform(frame).select("id", "prediction").orderBy("id").toPandas()
    return digest(json.loads(model._fitted().to_json()), list(scored["prediction"]))
