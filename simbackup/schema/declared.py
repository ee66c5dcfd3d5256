"""What classes of files declare besides their keys, which need not be read anew for each class below."""

from __future__ import annotations

from typing import Any, ClassVar


class Declaring:
    """A class whose declarations of `ClassVar` are no texts any more: pydantic evaluates those for each class below.

    >>> class Part(Declaring):
    ...     shown: ClassVar[str] = "box"
    >>> Part.__annotations__
    {'shown': typing.ClassVar}
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        own = vars(cls).get("__annotations__", {})
        own.update({name: ClassVar for name, kind in own.items() if str(kind).startswith("ClassVar[")})
