"""The command line in the wheel: as a program, as a module, with the manners of the program that cargo builds."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import evenhand

INSTALLED = Path(sys.executable).with_name("evenhand.exe" if os.name == "nt" else "evenhand")
PROGRAMS = {"program": [str(INSTALLED)], "module": [sys.executable, "-m", "evenhand"]}


def run(program, *arguments, **options):
    return subprocess.run([*PROGRAMS[program], *arguments], capture_output=True, text=True, check=False, **options)


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_says_its_version_and_its_own_name(program):
    said = run(program, "--version")
    assert said.returncode == 0
    assert said.stdout.startswith(f"evenhand {evenhand.__version__}\nengine: evenhand {evenhand.__version__}, ")
    assert "Usage: evenhand <COMMAND>" in run(program, "--help").stdout


@pytest.mark.parametrize("program", PROGRAMS)
def test_exit_codes_come_through(program, tmp_path):
    loans = tmp_path / "loans.csv"
    assert run(program, "demo", "--rows", "2000", "--write", str(loans)).returncode == 0
    audit = ["audit", str(loans), "--label", "approved", "--positive", "yes", "--group", "sex"]
    assert run(program, *audit).returncode == 0
    assert run(program, *audit, "--max-violation", "0.001").returncode == 1
    missing = run(program, "audit", str(tmp_path / "nowhere.csv"), "--label", "approved")
    assert missing.returncode == 2
    assert missing.stderr.startswith("error: ")
    assert "Traceback" not in missing.stderr


def test_starting_needs_no_other_package():
    code = "import sys, evenhand.__main__; print(sorted({'numpy', 'scipy', 'sklearn'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_every_public_name_is_there_when_asked_for():
    assert [name for name in evenhand.__all__ if getattr(evenhand, name, None) is None] == []
    assert dir(evenhand) == sorted(evenhand.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = evenhand.nothing


@pytest.mark.skipif(os.name == "nt", reason="signals and pipes of Unix")
def test_ctrl_c_ends_it_as_it_ends_the_program(tmp_path):
    started = subprocess.Popen(
        [*PROGRAMS["program"], "demo", "--rows", "5000000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    time.sleep(1.5)
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=30)
    assert started.returncode == -signal.SIGINT
    assert "Traceback" not in said


@pytest.mark.skipif(os.name == "nt", reason="signals and pipes of Unix")
def test_a_reader_that_goes_away_is_no_error(tmp_path):
    loans = tmp_path / "loans.csv"
    piped = f"'{INSTALLED}' demo --rows 200000 --write '{loans}' --json | head -c 10; exit ${{PIPESTATUS[0]}}"
    ended = subprocess.run(["bash", "-c", piped], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
