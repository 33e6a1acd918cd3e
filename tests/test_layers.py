"""The contracts between the rooms hold, and each of them fires on a violation."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

ROOT = Path(__file__).parent.parent

# Contract of pyproject.toml → file that breaks it, and the line that does.
VIOLATIONS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "Data flows one way": ("daskxmlc/storage/matrix.py", "import daskxmlc.tables.table"),
        "The library does not know its command line": (
            "daskxmlc/report/result.py",
            "import daskxmlc_cli",
        ),
        "Only the conductor knows Dask": ("daskxmlc/tasks/task.py", "import dask.base"),
        "Only storage knows Zarr": ("daskxmlc/measures/measure.py", "import zarr"),
        "Nothing inside uses the front door": (
            "daskxmlc/blocks/__init__.py",
            "from daskxmlc import __name__ as front_door",
        ),
    }
)


def lint_imports(tree: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tree), str(tree / "cli")])},
        capture_output=True,
        text=True,
        check=False,
    )


def copy_of_the_tree(folder: Path) -> Path:
    for package in ("daskxmlc", "cli/daskxmlc_cli"):
        shutil.copytree(
            ROOT / package,
            folder / package,
            ignore=lambda where, names: [
                name
                for name in names
                if not name.endswith(".py") and not (Path(where) / name).is_dir()
            ],
        )
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> str:
    tree = copy_of_the_tree(tmp_path_factory.mktemp("broken"))
    for name, line in VIOLATIONS.values():
        with (tree / name).open("a", encoding="utf-8") as file:
            file.write(f"\n{line}\n")
    done = lint_imports(tree)
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def test_all_contracts_hold(tmp_path: Path) -> None:
    done = lint_imports(copy_of_the_tree(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    for contract in VIOLATIONS:
        assert f"{contract} KEPT" in done.stdout


@pytest.mark.parametrize("contract", VIOLATIONS)
def test_a_planted_violation_is_caught(contract: str, broken: str) -> None:
    assert f"{contract} BROKEN" in broken


def test_a_new_room_has_to_declare_its_place(tmp_path: Path) -> None:
    tree = copy_of_the_tree(tmp_path)
    (tree / "daskxmlc/annex.py").write_text('"""A room of no layer."""\n', encoding="utf-8")
    done = lint_imports(tree)
    assert done.returncode == 1
    assert "annex" in done.stdout + done.stderr
