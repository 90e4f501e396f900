"""The benchmark of scale.

filling      databases of many bots and matches, made by SQL
measuring    commands, the referee's start and the dashboard on such a database
crowd        decisions of a referee with thousands of bots
pairing      what a table of the ladder costs among many connected bots
"""
