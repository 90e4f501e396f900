"""The tables of the operators' page."""
