"""The display of a match to people, whatever the game: moments, scenes, claims, controls.

A kit's modules `scene`, `controls` and `seen` are written with it. All functions are pure.
"""
