"""Random playouts, each in a process of its own: this project's games and two other platforms'.

The others' files run under the interpreter of a throw-away environment and import nothing of
this project. Every process takes GAME SEATS SECONDS and prints one JSON object.
"""
