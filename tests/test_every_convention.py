"""What holds of every convention; one that is added to the folder is held to it, too."""

import dataclasses

import pytest

from daskxmlc.conventions.convention import Rules
from daskxmlc.conventions.resolving import choices, conventions, parse_rules, record, resolve
from daskxmlc.errors import UsageError
from daskxmlc.measures.asking import Asked, measures, parse
from tests.strategies import Block

every_convention = pytest.mark.parametrize("name", conventions())

# No true and no predicted label; a score at the threshold; a dead label (3);
# fewer labels than k; a tie.
BLOCKS = (
    Block(
        scores=[[0.1, 0.2, None, None], [0.9, 0.5, 0.6, 0.1], [0.5, 0.4, 0.3, 0.2]],
        truth=[[0, 0, 0, 0], [1, 0, 1, 0], [0, 1, 1, 0]],
        threshold=0.5,
        labels=(0, 1, 2, 3),
    ),
    Block(scores=[[0.1, 0.2]], truth=[[0, 0]], threshold=0.5, labels=(0, 1)),
    Block(scores=[[0.1, 0.1]] * 3, truth=[[0, 1], [1, 0], [1, 0]], threshold=0.5, labels=(0, 1)),
)


@every_convention
def test_every_rule_is_decided_by_a_value_that_it_can_take(name: str) -> None:
    decided = conventions()[name].rules().as_dict()
    possible = choices()
    assert list(decided) == list(possible)
    for rule, value in decided.items():
        assert value in possible[rule]


@every_convention
def test_it_is_described_in_a_line(name: str) -> None:
    summary = conventions()[name].summary
    assert summary
    assert "\n" not in summary


@every_convention
def test_its_rules_can_be_replaced_one_by_one(name: str) -> None:
    own = conventions()[name].rules()
    assert resolve(name, {}) == own
    for rule, values in choices().items():
        for value in values:
            changed = resolve(name, {rule: value})
            assert changed.as_dict() == own.as_dict() | {rule: value}


@every_convention
def test_a_result_says_what_was_changed(name: str) -> None:
    own = conventions()[name].rules()
    assert record(name, own) == {"name": name, **own.as_dict()}
    value = next(x for x in choices()["documents"] if x != own.documents)
    changed = record(name, resolve(name, {"documents": value}))
    assert changed["name"] == name
    assert changed["changed"] == f"documents={value}"
    assert changed["documents"] == value


def test_default_is_where_rules_start() -> None:
    assert resolve("default", {}) == Rules()
    assert all(values[0] == getattr(Rules(), rule) for rule, values in choices().items())


def values(rules: Rules) -> list[tuple[str, str]]:
    asked: tuple[Asked, ...] = parse([*measures()], [1, 2, 3])
    return [
        (
            each.name,
            str(
                each.measure.score(
                    block.tables(3, rules)[each.measure.table],
                    rules,
                    labels=len(block.labels),
                    parameter=each.parameter,
                )
            ),
        )
        for block in BLOCKS
        for each in asked
    ]


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        (rule, value)
        for rule, each in choices().items()
        for value in each[1:]
        if rule != "absent"  # of sparse matrices, not of tables
    ],
)
def test_a_value_that_is_offered_is_followed(rule: str, value: str) -> None:
    assert values(resolve("default", {rule: value})) != values(Rules())


@pytest.mark.parametrize("rule", choices())
def test_every_rule_is_documented(rule: str) -> None:
    text = Rules.__doc__ or ""
    assert f"    {rule}\n        " in text


def test_rules_are_read_from_text() -> None:
    assert parse_rules(["documents=all", " ndcg_ideal = k ", "example_empty=1,0"]) == {
        "documents": "all",
        "ndcg_ideal": "k",
        "example_empty": "1,0",
    }
    assert parse_rules(["documents=all", "documents=all"]) == {"documents": "all"}


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["documents"], "--rule: not a rule, got 'documents'; write NAME=VALUE"),
        (
            ["documents=all", "documents=at-least-k"],
            "--rule: documents is given two values, 'all' and 'at-least-k'; give one",
        ),
    ],
)
def test_text_that_is_no_rule_is_refused(texts: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_rules(texts)


@pytest.mark.parametrize(
    ("name", "overrides", "message"),
    [
        ("defualt", {}, "--conventions: none is called 'defualt'; did you mean default"),
        (
            "default",
            {"document": "all"},
            "--rule: none is called 'document'; did you mean documents",
        ),
        (
            "default",
            {"documents": "some"},
            "--rule: documents cannot be 'some'; it can be with-labels or all or at-least-k",
        ),
        ("default", {"ties": "any"}, "--rule: ties cannot be 'any'; it can be first or last or"),
    ],
)
def test_what_cannot_be_followed_is_refused(
    name: str, overrides: dict[str, str], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        resolve(name, overrides)


def test_rules_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Rules().documents = "all"  # type: ignore[misc]
