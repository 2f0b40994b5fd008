"""The same through Spark Connect, where there is no JVM beside Python."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from people import ROWS, classifier, digest_on_spark
from pyspark.sql import DataFrame


def test_a_fit_through_connect_has_the_same_bits(frame: DataFrame, tmp_path: Path) -> None:
    script = Path(__file__).with_name("through_connect.py")
    done = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True, check=False, timeout=1500)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert "connect" in found.pop("session")
    expected = digest_on_spark(classifier().fit(frame), frame)
    assert (found.pop("fitted"), found.pop("read")) == (expected, expected)
    assert found == {"there": "file-exists", "piped": ROWS, "refused": "label-missing", "copies": 1, "kept": False}
