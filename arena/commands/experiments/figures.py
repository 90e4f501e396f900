"""The figures of an experiment: Vega-Lite, and PNG where vl-convert is installed."""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from arena.commands.terminal import json_text

SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v5.20.json"
"""The schema of the Vega-Lite version that the figures use."""
_VERSION: Final = "5.20"
_SHARE: Final = {"type": "quantitative", "scale": {"domain": [0, 1]}, "axis": {"format": "%"}}
_BOT: Final = {"field": "bot", "type": "nominal", "title": "bot"}


def experiment_figures(results: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the figures by name, made from the results by bot and opponents."""
    return {"shares": _shares(results), "progress": _progress(results)}


def write_figures(folder: Path, figures: Mapping[str, dict[str, Any]]) -> bool:
    """Write figures by name; return whether there are PNG files."""
    folder.mkdir(exist_ok=True)
    for name, figure in figures.items():
        (folder / f"{name}.vl.json").write_text(json_text(figure, indent=2) + "\n", "utf-8")
    if find_spec("vl_convert") is None:
        return False
    convert = import_module("vl_convert").vegalite_to_png
    for name, figure in figures.items():
        png = convert(json_text(figure), vl_version=_VERSION, scale=2)
        (folder / f"{name}.png").write_bytes(png)
    return True


def _shares(results: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the share of each bot against each table, with its interval."""
    names = ("bot", "opponents", "share", "low", "high")
    at = {"field": "opponents", "type": "nominal", "title": "opponents", "sort": None}
    apart = {"yOffset": {"field": "bot"}, "color": _BOT}
    return {
        "$schema": SCHEMA,
        "title": "Matches won, with 95 % intervals",
        "width": 480,
        "height": {"step": 22},
        "data": {"values": [{name: one[name] for name in names} for one in results]},
        "encoding": {"y": at, **apart},
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {
                    "x": {"field": "low", "title": "share won", **_SHARE},
                    "x2": {"field": "high"},
                },
            },
            {
                "mark": {"type": "point", "filled": True, "size": 60},
                "encoding": {"x": {"field": "share", **_SHARE}},
            },
        ],
    }


def _progress(results: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the share by the number of matches, with the interval at that number."""
    values = [
        {"pairing": f"{one['bot']} – {one['opponents']}", "seed": seed["seed"], **look}
        for one in results
        for seed in one["seeds"]
        for look in seed["looks"]
    ]
    matches = {"field": "matches", "type": "quantitative", "title": "matches"}
    by = {"field": "pairing", "type": "nominal", "title": None}
    return {
        "$schema": SCHEMA,
        "title": "Matches won as they were played, by seed, with 95 % intervals of that number",
        "width": 480,
        "height": 300,
        "data": {"values": values},
        "encoding": {"x": matches, "color": by, "detail": {"field": "seed"}},
        "layer": [
            {
                "mark": {"type": "area", "opacity": 0.2},
                "encoding": {
                    "y": {"field": "low", "title": "share won", **_SHARE},
                    "y2": {"field": "high"},
                },
            },
            {
                "mark": {"type": "line", "point": True},
                "encoding": {"y": {"field": "share", **_SHARE}},
            },
        ],
    }
