"""Each check of the test block fires on what it is there to find, with the project's settings."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Give a project of one empty module with this project's settings."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for package in ("daskxmlc", "cli/daskxmlc_cli"):
        (tmp_path / package).mkdir(parents=True)
        (tmp_path / package / "__init__.py").write_text('"""A package."""\n', encoding="utf-8")
    (tmp_path / "tests").mkdir()
    return tmp_path


def check(tree: Path, command: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", *command.split()],
        cwd=tree,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


UNTYPED = "def double(count):\n    return 2 * count"


@pytest.mark.parametrize(
    ("command", "text", "finding"),
    [
        pytest.param("ruff check --no-cache", "import json", "F401", id="ruff check"),
        pytest.param("ruff format --check --no-cache", "x = {'a':1}", "planted.py", id="format"),
        pytest.param("mypy --no-incremental daskxmlc", UNTYPED, "no-untyped-def", id="mypy"),
        pytest.param("deptry daskxmlc", "import requests", "DEP001", id="deptry"),
    ],
)
def test_a_check_finds_what_is_planted(tree: Path, command: str, text: str, finding: str) -> None:
    planted = f'"""Planted."""\n\n{text}\n'
    (tree / "daskxmlc/planted.py").write_text(planted, encoding="utf-8")
    status, output = check(tree, command)
    assert status != 0
    assert finding in output


def test_a_warning_fails_the_tests(tree: Path) -> None:
    (tree / "tests/test_planted.py").write_text(
        "import warnings\n\n\ndef test_it_warns():\n    warnings.warn('planted')\n",
        encoding="utf-8",
    )
    status, output = check(tree, "pytest -p no:cacheprovider")
    assert status == 1
    assert "UserWarning: planted" in output
