"""What holds for every command: help, light imports, one-line errors, a place in the documents."""

import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

import daskxmlc_cli.commands
from daskxmlc_cli.command import Command
from daskxmlc_cli.commands import SUMMARIES
from daskxmlc_cli.main import main

ROOT = Path(__file__).parent.parent
HEAVY = {"dask", "distributed", "numba", "numpy", "pandas", "rich", "scipy", "xarray", "zarr"}
ALL = sorted(SUMMARIES)

# Arguments that name a file which is not there.
MISSING = {
    "bench": None,
    "convert": ["missing.npz", "new.zarr"],
    "demo": None,
    "evaluate": ["missing.npz", "--truth", "missing.npz"],
    "inspect": ["missing.npz"],
    "list": None,
    "merge": ["missing", "missing-too"],
    "report": ["missing"],
}


def found(name: str) -> click.Command:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    return command


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, prog_name="daskxmlc")


def test_the_commands_listed_are_those_of_the_folder() -> None:
    assert sorted(m.name for m in pkgutil.iter_modules(daskxmlc_cli.commands.__path__)) == ALL


@pytest.mark.parametrize("name", ALL)
def test_a_command_has_its_name_and_its_own_help_in_every_option(name: str) -> None:
    command = found(name)
    assert isinstance(command, Command)
    assert command.name == name
    assert command.short_help == SUMMARIES[name]
    assert command.help
    options = [p for p in command.params if isinstance(p, click.Option)]
    assert not [option.name for option in options if not option.help]
    assert {"-q", "--quiet", "--debug"} <= {name for option in options for name in option.opts}


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_shows_an_example_that_parses(name: str, flag: str) -> None:
    shown = run(name, flag)
    assert shown.exit_code == 0
    example = shown.stdout.split("Example:\n")[1].replace("\\\n", " ")
    lines = [line.split() for line in example.strip().splitlines()]
    assert lines
    for program, command, *arguments in lines:
        assert (program, command) == ("daskxmlc", name)
        context = click.Context(main)
        found(name).make_context(name, arguments, parent=context, resilient_parsing=False)


def modules_after(*arguments: str) -> tuple[str, set[str]]:
    program = (
        "import sys\nfrom daskxmlc_cli.main import main\n"
        "main(sys.argv[1:], prog_name='daskxmlc', standalone_mode=False)\n"
        "print('|'.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True
    )
    *text, modules = done.stdout.splitlines()
    return "\n".join(text), {name.partition(".")[0] for name in modules.split("|")}


@pytest.mark.parametrize("arguments", [["--help"], *([name, "--help"] for name in ALL)], ids=str)
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    text, modules = modules_after(*arguments)
    assert text.startswith("Usage: daskxmlc")
    assert not modules & HEAVY
    if arguments == ["--help"]:
        assert all(re.search(rf"^  {name} ", text, re.MULTILINE) for name in ALL)


def test_the_look_at_modules_sees_a_heavy_one() -> None:
    assert "numpy" in modules_after("list", "measures")[1]


def test_the_library_alone_imports_nothing_heavy() -> None:
    program = "import sys, daskxmlc; dir(daskxmlc); print('|'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert not {name.partition(".")[0] for name in done.stdout.strip().split("|")} & HEAVY


@pytest.mark.parametrize("name", ALL)
def test_an_unknown_option_is_one_line_and_exit_status_2(name: str) -> None:
    done = run(name, "--no-such-option")
    assert done.exit_code == 2
    assert re.fullmatch(
        rf"daskxmlc {name}: no such option.*; see 'daskxmlc {name} --help'\n", done.stderr
    )
    assert done.stdout == ""


@pytest.mark.parametrize("name", ALL)
def test_a_missing_file_is_one_line_that_names_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = MISSING[name]
    if arguments is None:
        pytest.skip("reads no file of the user's")
    monkeypatch.chdir(tmp_path)
    done = run(name, *arguments)
    assert done.exit_code in {1, 2}
    assert re.fullmatch(r"missing.*: .+\n", done.stderr)
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ALL)
def test_the_documents_name_every_command(name: str) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.search(rf"\bdaskxmlc {name}\b|`{name}`", readme)


def test_a_command_that_is_not_there_is_one_line() -> None:
    done = run("evalute")
    assert done.exit_code == 2
    line = r"daskxmlc: no such command 'evalute'.*; see 'daskxmlc --help'\n"
    assert re.fullmatch(line, done.stderr)


def test_python_can_run_the_package() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "daskxmlc_cli", "--version"],
        env=os.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.fullmatch(r"daskxmlc \d\S+\n", done.stdout)
