"""Numbers on the wire: enums by the names of their values (NAME is ENUM_NAME there)."""

import re
from collections.abc import Iterable
from typing import Any, TypeVar

from google.protobuf.descriptor import EnumDescriptor

ValueT = TypeVar("ValueT")


def enum_numbers(values: Iterable[ValueT], descriptor: EnumDescriptor) -> dict[ValueT, Any]:
    """Return the wire numbers of an enum's values, or of the words of a Literal.

    They are Any, because generated code has a type of its own for each enum's numbers.

    Raises KeyError if the proto's enum lacks one.
    """
    prefix = re.sub(r"(?<!^)(?=[A-Z])", "_", descriptor.name)
    numbers = descriptor.values_by_name
    return {
        value: numbers[f"{prefix}_{getattr(value, 'name', value)}".upper()].number
        for value in values
    }


def enum_values(values: Iterable[ValueT], descriptor: EnumDescriptor) -> dict[int, ValueT]:
    """Return the values by their wire numbers: the inverse of `enum_numbers`."""
    return {number: value for value, number in enum_numbers(values, descriptor).items()}
