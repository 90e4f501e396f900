"""The benchmark of scale.

filling            databases of many bots and matches, made by SQL
measuring          commands, the referee's start, the dashboard and checkpoints on such a database;
                   `arena play` with a second process
recording          what Postgres reads and writes there to record a match
crowd              decisions of a referee with thousands of bots, and its memory, also beside a bare
                   gRPC server
pairing            what a table of the ladder costs among many connected bots
several_referees   decisions of several referees on one database
figures            what was measured, kept in a file
report             tables of it, and whether it meets its targets
"""
