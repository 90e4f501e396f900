"""Programs and measurements for the benchmark of hosted bots."""
