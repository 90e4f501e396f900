"""How a match is shown to people, whatever the game: moments, scenes, claims, controls.

A kit's modules `scene`, `controls` and `seen` are written with it. All of it is pure.
"""
