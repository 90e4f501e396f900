"""The Grafana dashboard asks for figures that a referee has."""

import json
import re
from pathlib import Path

from arena.server.app.metrics import Metrics

ROOT = Path(__file__).parents[1]
WATCHED = ("arena_connected_bots", "arena_matches_running", "arena_results_waiting")
"""Figures that are added when a referee starts."""


def test_every_panel_asks_for_a_figure_that_there_is() -> None:
    dashboard = json.loads((ROOT / "deploy/grafana/referee.json").read_text())
    known = {metric.name for metric in Metrics().registry.collect()}
    known |= {*WATCHED, "arena_results_spooled"}
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    assert asked
    for expression in asked:
        names = re.findall(r"arena_[a-z_]+", expression)
        assert names
        assert {re.sub("_(total|bucket)$", "", name) for name in names} <= known
