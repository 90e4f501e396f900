"""A person at the table: a bot whose answers come from outside, while its stream stays open.

seat           one match as known to the person's seat: what it learned, the open turn, the clock
play_endpoint  opens sessions at a referee, and lists the bots that can be played against
watching       the public events of the match between the person's turns
session        the stream to the referee: one match at a time, asked for as a challenge

A program answers within its turn; a person may need a minute. So nothing here blocks for an answer:
a turn stays open until one is given, and a stream that is lost meanwhile is opened again.
"""
