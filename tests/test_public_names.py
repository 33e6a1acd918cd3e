"""The front door: light, complete, and nothing that is not there."""

import inspect

import pytest

import daskxmlc


@pytest.mark.parametrize("name", daskxmlc.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    found = getattr(daskxmlc, name)
    assert name in dir(daskxmlc)
    if name != "__version__":
        assert found.__name__ == name
        assert inspect.getdoc(found)


def test_no_other_name_is_there() -> None:
    with pytest.raises(AttributeError, match="module 'daskxmlc' has no attribute 'evalute'"):
        daskxmlc.evalute  # type: ignore[attr-defined]  # noqa: B018
    assert not hasattr(daskxmlc, "__path_of_nothing__")
