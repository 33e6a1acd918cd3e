"""README holds: its test block is what CI runs, its commands parse, its examples run."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from daskxmlc.discover import catalogue
from daskxmlc.measures.asking import measures
from daskxmlc.storage.matrix import Format
from daskxmlc_cli.main import main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")

# Stands in for an interpreter: its virtual environments hold commands that note what they are
# asked and with what, and of which the one named in BROKEN fails.
INTERPRETER = r"""#!/bin/sh
[ "$1" = -c ] && exit 0
[ "$1 $2" = "-m venv" ] || exit 9
mkdir -p "$3/bin"
for name in python ruff mypy lint-imports deptry; do
    cat >"$3/bin/$name" <<'END'
#!/bin/sh
echo "$(basename "$0") $*" | sed 's/ $//' >>"$LOG"
echo "${PYTHONPATH-unset} $VIRTUAL_ENV $(cat)" >>"$LOG.environment"
[ "$(basename "$0")" != "$BROKEN" ]
END
    chmod +x "$3/bin/$name"
done
"""


def section(title: str) -> str:
    return re.split(r"^## ", README.split(f"\n## {title}\n")[1], flags=re.MULTILINE)[0]


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def lines_of_the_test_block() -> list[str]:
    (block,) = blocks(section("Test"), "sh")
    return block.splitlines()


class Run:
    """What `.ci/run` did with the project's README and a stand-in for the interpreter."""

    def __init__(self, folder: Path, *, broken: str = "", readme: str = README) -> None:
        (folder / ".ci").mkdir()
        (folder / ".ci/run").write_bytes((ROOT / ".ci/run").read_bytes())
        (folder / "README.md").write_text(readme, encoding="utf-8")
        interpreter = folder / "interpreter"
        interpreter.write_text(INTERPRETER, encoding="utf-8")
        interpreter.chmod(0o755)
        self.log = folder / "log"
        self.scratch = folder / "scratch"
        self.scratch.mkdir()
        self.done = subprocess.run(
            ["/bin/bash", ".ci/run"],
            cwd=folder,
            env=os.environ
            | {"PYTHON": str(interpreter), "PYTHONPATH": "elsewhere", "BROKEN": broken}
            | {"LOG": str(self.log), "TMPDIR": str(self.scratch)},
            input="not for the tests",
            capture_output=True,
            text=True,
            check=False,
        )

    def commands(self) -> list[str]:
        return self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []


def test_ci_runs_exactly_the_test_block_of_readme(tmp_path: Path) -> None:
    run = Run(tmp_path)
    assert run.done.returncode == 0, run.done.stderr
    assert run.commands() == lines_of_the_test_block()


def test_ci_starts_from_an_empty_environment_and_leaves_nothing(tmp_path: Path) -> None:
    run = Run(tmp_path)
    seen = Path(f"{run.log}.environment").read_text(encoding="utf-8").splitlines()
    assert len(set(seen)) == 1
    path, environment, *stdin = seen[0].split(" ")
    assert path == "unset"
    assert Path(environment).is_relative_to(run.scratch)
    assert stdin == [""]
    assert not list(run.scratch.iterdir())


@pytest.mark.parametrize("broken", ["ruff", "mypy", "lint-imports", "deptry", "python"])
def test_ci_stops_at_the_first_failure(tmp_path: Path, broken: str) -> None:
    run = Run(tmp_path, broken=broken)
    assert run.done.returncode != 0
    first = next(i for i, line in enumerate(lines_of_the_test_block()) if line.split()[0] == broken)
    assert run.commands() == lines_of_the_test_block()[: first + 1]
    assert not list(run.scratch.iterdir())


def test_ci_refuses_a_readme_without_a_test_block(tmp_path: Path) -> None:
    run = Run(tmp_path, readme="# daskxmlc\n\n## Test\n\nnothing\n")
    assert run.done.returncode == 1
    assert run.done.stderr.startswith(".ci/run: README.md has no sh block")


def test_ci_refuses_an_interpreter_that_does_not_fit(tmp_path: Path) -> None:
    done = subprocess.run(
        ["/bin/bash", str(ROOT / ".ci/run")],
        env=os.environ | {"PYTHON": str(tmp_path / "none")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith(".ci/run: found no Python of 3.11 or newer")


def test_the_first_screen_has_the_flow_and_two_commands() -> None:
    screen = "\n".join(README.splitlines()[:25])
    assert "score matrices (Zarr) → blocks → tables of whole numbers → measures →" in screen
    assert blocks(screen, "sh") == [
        "python3 -m venv .venv && .venv/bin/pip install --quiet . && .venv/bin/daskxmlc demo\n",
        "bash .ci/run\n",
    ]


def test_the_hooks_call_the_tools_of_the_lines_of_the_test_block() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    entries = re.findall(r"entry: (.+)", hooks)
    assert entries == [line for line in lines_of_the_test_block() if not line.startswith("python ")]
    assert set(re.findall(r"repo: (.+)", hooks)) == {"local"}
    assert set(re.findall(r"language: (.+)", hooks)) == {"system"}


def command_lines(text: str) -> list[list[str]]:
    """Arguments of every line that calls daskxmlc."""
    lines = "".join(blocks(text, "sh")).splitlines()
    return [shlex.split(line)[1:] for line in lines if line.startswith("daskxmlc ")]


def parse(arguments: list[str]) -> click.Context:
    name, *rest = arguments
    command = main.get_command(click.Context(main), name)
    assert command is not None, name
    return command.make_context(name, rest)


@pytest.mark.parametrize("arguments", command_lines(README), ids=shlex.join)
def test_a_command_of_readme_parses(arguments: list[str]) -> None:
    parse(arguments)


def test_a_command_that_does_not_exist_would_be_found() -> None:
    with pytest.raises(AssertionError, match="evaluatee"):
        parse(["evaluatee"])
    with pytest.raises(click.NoSuchOption, match="--truht"):
        parse(["evaluate", "scores.zarr", "--truht", "truth.zarr"])


def test_every_command_that_readme_names_exists() -> None:
    named = set(re.findall(r"`daskxmlc ([a-z]+)", README)) | {
        name for name in re.findall(r"`([a-z]+)`", section("Changes")) if name != "classification"
    }
    assert named <= set(main.list_commands(click.Context(main)))
    assert named


def test_readme_names_every_command() -> None:
    names = set(main.list_commands(click.Context(main)))
    assert names <= set(re.findall(r"`([a-z]+)`", section("Changes")))


def test_readme_names_every_format_and_measure() -> None:
    formats = catalogue("daskxmlc.storage", Format)
    assert set(formats) <= set(re.findall(r"`([\w-]+)`", section("Inputs")))
    named = set(re.findall(r"`([\w@]+)`", section("Rules for numbers")))
    assert {name.split("@")[0] for name in measures()} <= {name.split("@")[0] for name in named}


def test_the_quick_start_and_the_python_example_run_as_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments in command_lines(section("Quick start")):
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == 0, f"{shlex.join(arguments)}: {done.output}"
    (example,) = blocks(section("Python"), "python")
    names: dict[str, object] = {}
    exec(example, names)  # noqa: S102  # the project's own README
    assert len(names["table"]) > 100  # type: ignore[arg-type]
