"""Values that are unknown because the file has an error there: using one raises an error with the address."""

from __future__ import annotations

from typing import Any, NoReturn


class UnknownError(Exception):
    """A value is needed that is unknown until the value at an address is right."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address


class Unknown:
    """Stands for a value that is wrong or missing, so that all else in its part can be checked.

    >>> size = Unknown("data.files.size")
    >>> size is None
    False
    >>> size.si > 3
    Traceback (most recent call last):
        ...
    simbackup.schema.unknown.UnknownError: data.files.size
    """

    __slots__ = ("_address",)

    def __init__(self, address: str) -> None:
        self._address = address

    def _ask(self, *_: object) -> NoReturn:
        raise UnknownError(self._address)

    def __repr__(self) -> str:
        return f"Unknown({self._address!r})"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python and pydantic look for methods of their own
            raise AttributeError(name)
        return self._ask()

    __eq__ = __hash__ = __bool__ = __str__ = __format__ = _ask  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
    __iter__ = __len__ = __contains__ = __getitem__ = __float__ = __lt__ = __le__ = __gt__ = __ge__ = _ask


class UnknownPlace(Unknown):
    """Stands for an unknown device that something is on."""

    __slots__ = ()
    __eq__ = object.__eq__
    __hash__ = object.__hash__
