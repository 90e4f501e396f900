"""Figures of parts of the benchmark, each with the machine's load while it was measured."""

import json
import os
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, ParamSpec

P = ParamSpec("P")


class KeptFigures:
    """Figures by the name of a part, as JSON values; written to the file, if any, after each."""

    def __init__(self, path: Path | None, again: Collection[str]) -> None:
        """Take figures of an earlier run from the file; parts of `again` are measured again."""
        self._path = path
        self._again = again
        self._parts: dict[str, dict[str, Any]] = {}
        if path is not None and path.exists():
            self._parts = json.loads(path.read_text())

    def of(self, name: str) -> Any:
        """The figures of a part; an empty dict if it was not measured."""
        return self._parts[name]["figures"] if name in self._parts else {}

    def named(self, part: str) -> list[str]:
        """Return the names, after the colon, under which a part was measured."""
        start = f"{part}: "
        return [name.removeprefix(start) for name in self._parts if name.startswith(start)]

    def loads(self) -> list[float]:
        """The machine's load before and after each part."""
        return [load for part in self._parts.values() for load in part["load"]]

    def lacks(self, name: str) -> bool:
        """Return whether a part, or what is named after it and a colon, must be measured."""
        return name not in self._parts or name.split(":")[0] in self._again

    def add(self, name: str, measure: Callable[P, Any], *given: P.args, **named: P.kwargs) -> None:
        """Measure a part, and keep its figures."""
        before, began = os.getloadavg()[0], time.monotonic()
        figures = json.loads(json.dumps(measure(*given, **named)))
        after, seconds = os.getloadavg()[0], time.monotonic() - began
        self._parts[name] = {"figures": figures, "load": [before, after], "seconds": seconds}
        print(f"{name}: measured in {seconds:.0f} s at a load of {before:.1f} to {after:.1f}")
        if self._path is not None:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._path.write_text(json.dumps(self._parts, indent=2) + "\n")
