"""Charts as Vega-Lite, built once and shown often: Altair takes 30 ms for a small one.

The rows go into the chart as plain values. As a data frame, or as values that Streamlit finds, they
would pass through pandas and pyarrow, which take 70 MB.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import altair as alt
import streamlit as st

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

RowT = TypeVar("RowT", bound="DataclassInstance")


@dataclass(frozen=True, slots=True)
class Drawn:
    """A chart with its data, and its text alternative."""

    spec: dict[str, Any]
    words: str

    def show(self) -> None:
        """Put it on the page."""
        st.vega_lite_chart(self.spec, alt=self.words)


def drawn(
    rows: Sequence[RowT],
    draw: Callable[[Sequence[RowT]], alt.LayerChart],
    in_words: Callable[[Sequence[RowT]], str],
) -> Drawn:
    """Return the chart and its text alternative for rows whose fields are JSON values.

    `draw` returns a chart without data, to whose layers the rows are added.
    """
    spec = draw(rows).to_dict()
    del spec["datasets"]  # Altair's own entry in a chart without data
    # Streamlit looks for values only at the top level of a chart.
    data = {"values": [asdict(row) for row in rows]}
    layers = [{**layer, "data": data} for layer in spec["layer"]]
    # The last label of an axis would be cut at the edge.
    return Drawn({**spec, "layer": layers, "padding": {"right": 4}}, in_words(rows))
