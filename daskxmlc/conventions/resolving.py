"""From the name of a convention and single rules to the value of every rule."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args, get_type_hints

from daskxmlc.conventions.convention import Convention, Rules
from daskxmlc.discover import catalogue, choose
from daskxmlc.errors import UsageError


def conventions() -> dict[str, Convention]:
    """Give every convention by its name."""
    return catalogue("daskxmlc.conventions", Convention)


def choices() -> dict[str, tuple[str, ...]]:
    """Give the values that each rule can take, by the name of the rule, the default first."""
    hints = get_type_hints(Rules)
    return {name: get_args(hints[name]) for name in Rules().as_dict()}


def parse_rules(texts: Sequence[str]) -> dict[str, str]:
    """Read rules written as ``NAME=VALUE``.

    Raises
    ------
    UsageError
        A text is not of that form, or a rule is given two values.
    """
    rules: dict[str, str] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals:
            raise UsageError(f"--rule: not a rule, got {text!r}; write NAME=VALUE")
        if rules.setdefault(name, value) != value:
            raise UsageError(
                f"--rule: {name} is given two values, {rules[name]!r} and {value!r}; give one"
            )
    return rules


def resolve(name: str, overrides: Mapping[str, str]) -> Rules:
    """Give the rules of a convention, single ones replaced.

    Parameters
    ----------
    name
        A convention, such as ``"default"``.
    overrides
        Name of a rule to its value, in place of the convention's.

    Raises
    ------
    UsageError
        No convention or rule has that name, or a rule cannot take that value; the message names
        the choices.
    """
    rules = choose(conventions(), name, what="--conventions").rules()
    possible = choices()
    for rule, value in overrides.items():
        values = choose(possible, rule, what="--rule")
        if value not in values:
            raise UsageError(f"--rule: {rule} cannot be {value!r}; it can be {' or '.join(values)}")
    chosen: dict[str, Any] = dict(overrides)
    return replace(rules, **chosen)


def record(name: str, rules: Rules) -> dict[str, str]:
    """Give what a result says of its rules: the convention, what was changed, every value.

    Returns
    -------
    dict
        ``name``; ``changed`` with the rules that differ from the convention's, as
        ``NAME=VALUE, …``, if any do; then each rule.
    """
    own = choose(conventions(), name, what="--conventions").rules().as_dict()
    values = rules.as_dict()
    changed = ", ".join(f"{rule}={value}" for rule, value in values.items() if value != own[rule])
    return {"name": name, **({"changed": changed} if changed else {}), **values}
