"""Arguments of the wrong kind. The binding refuses them, but by its own names; here is found which one it was, and said what would
do. Nothing is looked at as long as a call succeeds."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from quench.errors import UserError

__all__ = ["explained", "of_class", "sequence_of_text"]

Function = TypeVar("Function", bound=Callable[..., Any])
Wanted = TypeVar("Wanted")

LARGEST = 2**63 - 1
REFUSED = "incompatible function arguments"
"""What the binding says."""


def explained(function: Function) -> Function:
    """The same function; what the binding refuses is said by the names and annotations of this one."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if REFUSED not in str(error):
                raise
            refusal = error
        explain(function, args, kwargs, refusal)

    return call  # type: ignore[return-value]


def explain(function: Callable[..., Any], args: Any, kwargs: Any, refusal: TypeError) -> NoReturn:
    given = inspect.signature(function).bind(*args, **kwargs).arguments
    for name, parameter in inspect.signature(function).parameters.items():
        if name in given and name != "self":
            examine(name, str(parameter.annotation), given[name])
    raise refusal


def examine(name: str, annotation: str, value: Any) -> None:
    """Raises if a value is not what the annotation says; of what it does not know, it says nothing."""
    if value is None and "None" in annotation:
        return
    kind = annotation.replace(" | None", "")
    if isinstance(value, str):
        unless_writable(name, value)
    if kind == "int":
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise TypeError(f"{name} must be a whole number; {type_of(value)}")
        if not 0 <= int(value) <= LARGEST:
            raise UserError(f"{name} cannot be {int(value) if abs(int(value)) <= LARGEST else 'that large'}: it is a whole number from 0 on")
    elif kind == "float" and not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise TypeError(f"{name} must be a number; {type_of(value)}")
    elif kind == "bool" and not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False; {type_of(value)}")
    elif kind == "bytes" and not isinstance(value, bytes):
        raise TypeError(f"{name} must be bytes; {type_of(value)}")
    elif kind in TEXTS and not isinstance(value, str):
        raise TypeError(f"{name} must be text; {type_of(value)}")
    elif kind == "Path":
        if "\0" in os.fsdecode(value):
            raise UserError("the name of a file has no zero character")
    elif kind == "Sequence[tuple[int, int]]":
        raise TypeError(f"{name} is a list of pairs of a layer and a head, as in [(0, 1)]")
    elif kind == "Sequence[tuple[str, int, float]]":
        raise TypeError(f"{name} is a list of a coordinate's name, a position from 1 on and a value, as in [('Q_a', 1, 0.0)]")


TEXTS = {"str", "Format", "Engine", "Summation", "Kind", "Mask", "Weighting", "Target", "Weights"}


def type_of(value: Any) -> str:
    return f"this is of the type {type(value).__name__}"


def unless_writable(name: str, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UserError(f"{name} has half a character (a lone surrogate) at index {error.start}") from None


def of_class(value: Any, wanted: type[Wanted], message: str) -> Wanted:
    if not isinstance(value, wanted):
        raise TypeError(f"{message}; {type_of(value)}")
    return value


def sequence_of_text(values: Any, message: str) -> list[str]:
    """`message` says what is wanted. Sets and mappings have no order that means anything."""
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, (Sequence, Iterator)):
        raise TypeError(f"{message}; {type_of(values)}")
    found = list(values)
    for at, one in enumerate(found):
        if not isinstance(one, str):
            raise TypeError(f"{message}; number {at} is of the type {type(one).__name__}")
        unless_writable(f"number {at}", one)
    return found
