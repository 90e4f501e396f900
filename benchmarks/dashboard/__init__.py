"""The benchmark of the dashboard.

filling      an arena of many bots and matches, and matches that come in
serving      the dashboard as a process, its CPU time and its memory
visiting     pages in a browser
"""
