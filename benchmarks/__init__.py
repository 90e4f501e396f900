"""Benchmarks, the sources of the project's performance figures; each prints ratios."""
