"""Programs for random playouts of this project's games and of other platforms.

The programs of the other platforms run in a temporary environment and import nothing of this
project. Every program takes GAME SEATS SECONDS and prints one JSON object; arms.py lets them take
turns.
"""
