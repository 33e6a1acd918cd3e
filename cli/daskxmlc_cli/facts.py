"""Facts about one thing, such as a store: names and values, for a reader or as JSON."""

from collections.abc import Mapping
from typing import Any

import click


def show_facts(facts: Mapping[str, Any], output_format: str) -> None:
    """Write facts to standard output: a line each, or one JSON object with all of them."""
    if output_format == "json":
        import json

        click.echo(json.dumps(facts, indent=1, ensure_ascii=False, default=list))
        return
    widest = max(map(len, facts))
    for name, value in facts.items():
        if name in ("notes", "problems"):
            continue
        if value is not None and value is not False:
            click.echo(f"{name.replace('_', ' '):{widest}}  {_written(value)}")
    for name in ("notes", "problems"):
        for sentence in facts.get(name) or ():
            click.echo(f"{name.removesuffix('s')}: {' '.join(str(sentence).split())}")


def _written(value: object) -> str:
    if isinstance(value, tuple | list):
        return ", ".join(map(_written, value))
    if value is True:
        return "yes"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
