"""The two programs of benchmarks.solve: our CFR+ and OpenSpiel's on the same round.

OpenSpiel's runs in a temporary environment and imports nothing of this project.
"""
