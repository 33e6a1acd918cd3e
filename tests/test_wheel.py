"""What is shipped: the wheel's files, its commands and the dependencies it declares."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_string
from email.message import Message
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = {"daskxmlc": "daskxmlc", "daskxmlc_cli": "cli/daskxmlc_cli"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


@pytest.fixture(scope="module")
def metadata(wheel: zipfile.ZipFile) -> Message:
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    return message_from_string(wheel.read(name).decode())


@pytest.fixture(scope="module")
def project() -> dict[str, object]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        found = tomllib.load(file)["project"]
    assert isinstance(found, dict)
    return found


def names(wheel: zipfile.ZipFile) -> set[str]:
    return {name for name in wheel.namelist() if ".dist-info/" not in name}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_file_of_a_package_is_in_the_wheel(package: str, wheel: zipfile.ZipFile) -> None:
    source = ROOT / PACKAGES[package]
    expected = {
        f"{package}/{path.relative_to(source).as_posix()}"
        for path in source.rglob("*")
        if path.is_file() and path.suffix not in {".pyc", ".nbc", ".nbi"}
    }
    assert {name for name in names(wheel) if name.startswith(f"{package}/")} == expected
    assert f"{package}/py.typed" in expected


def test_the_wheel_holds_the_two_packages_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    assert {name.split("/")[0] for name in names(wheel)} == set(PACKAGES)


def test_the_data_of_the_demo_are_in_the_wheel_with_their_licence(wheel: zipfile.ZipFile) -> None:
    files = {name: wheel.getinfo(name).file_size for name in names(wheel) if "demo_data/" in name}
    assert {Path(name).name for name in files} >= {
        *("truth.npz", "parabel.npz", "bonsai.npz", "plt.npz"),
        *("labels.txt", "documents.txt", "taxonomy.txt", "LICENSE-WordNet", "README.md"),
    }
    assert sum(files.values()) < 2_000_000
    notice = wheel.read("daskxmlc_cli/demo_data/LICENSE-WordNet").decode()
    assert "WordNet 3.0 Copyright 2006 by Princeton University." in notice


def test_the_licences_are_in_the_wheel(wheel: zipfile.ZipFile) -> None:
    licences = {name.split("/licenses/")[1] for name in wheel.namelist() if "/licenses/" in name}
    assert licences == {"LICENSE", "cli/daskxmlc_cli/demo_data/LICENSE-WordNet"}


def test_the_wheel_gives_the_commands_daskxmlc_and_dask_xmlc(wheel: zipfile.ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith("/entry_points.txt"))
    assert wheel.read(name).decode().split() == [
        *("[console_scripts]", "daskxmlc", "=", "daskxmlc_cli.main:main"),
        *("[dask_cli]", "xmlc", "=", "daskxmlc_cli.main:main"),
    ]


@pytest.mark.parametrize(
    ("module", "start"),
    [("daskxmlc_cli", "Usage: daskxmlc "), ("dask xmlc", "Usage: python -m dask xmlc ")],
)
def test_the_commands_run_from_the_unpacked_wheel(
    module: str, start: str, wheel: zipfile.ZipFile, tmp_path: Path
) -> None:
    wheel.extractall(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", *module.split(), "--help"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith(start), done.stderr


def test_the_metadata_declare_the_dependencies_and_the_pythons(
    metadata: Message, project: dict[str, object]
) -> None:
    required = metadata.get_all("Requires-Dist", [])
    assert isinstance(project["dependencies"], list)
    assert sorted(required) == sorted(project["dependencies"])
    assert {re.split("[<>=]", entry)[0] for entry in required} == {
        *("click", "dask", "distributed", "numba", "numpy", "rich", "scipy", "xarray", "zarr"),
    }
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "BSD-3-Clause"
    assert metadata.get_all("Project-URL") is None


def pins(lock: str) -> dict[str, str]:
    text = (ROOT / lock).read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", text, re.MULTILINE))


def test_what_is_deployed_is_what_is_tested(project: dict[str, object]) -> None:
    deployed, tested = pins("deploy/requirements.lock"), pins(".ci/requirements.lock")
    assert deployed.items() <= tested.items()
    assert isinstance(project["dependencies"], list)
    assert deployed.keys() >= {re.split("[<>=]", entry)[0] for entry in project["dependencies"]}


@pytest.mark.parametrize("lock", ["deploy/requirements.lock", ".ci/requirements.lock"])
def test_a_lock_has_hashes_and_names_no_host(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    for pin in re.split(r"^(?=[a-z])", text, flags=re.MULTILINE)[1:]:
        assert "--hash=sha256:" in pin
    assert not re.search(r"://|--(extra-)?index|--find-links|\bfile:", text)
    assert "torch" not in pins(lock)


def test_the_locks_satisfy_the_bounds_of_the_project(project: dict[str, object]) -> None:
    from packaging.requirements import Requirement

    with (ROOT / "pyproject.toml").open("rb") as file:
        tools = tomllib.load(file)["dependency-groups"]["test"]
    assert isinstance(project["dependencies"], list)
    for lock, declared in (
        ("deploy/requirements.lock", project["dependencies"]),
        (".ci/requirements.lock", [*project["dependencies"], *tools]),
    ):
        for requirement in map(Requirement, declared):
            assert requirement.specifier.contains(pins(lock)[requirement.name])
