"""A chart as Vega-Lite, drawn once and shown often: Altair takes 30 ms for a small one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd
import streamlit as st


@dataclass(frozen=True, slots=True)
class Drawn:
    """A chart with its data, and its text alternative."""

    spec: dict[str, Any]
    words: str

    def show(self) -> None:
        """Put it on the page."""
        st.vega_lite_chart(self.spec, alt=self.words)


def drawn(
    frame: pd.DataFrame,
    draw: Callable[[pd.DataFrame], alt.LayerChart],
    in_words: Callable[[pd.DataFrame], str],
) -> Drawn:
    """The chart and the words for a data frame."""
    with alt.data_transformers.disable_max_rows():
        return Drawn(draw(frame).to_dict(), in_words(frame))
