"""A person at the table: a bot whose answers come from outside, while its stream goes on.

seat       one match as the person's seat may know it: what was heard, the open turn, the clock
door       opens sessions at a referee, and says who can be played against
watching   what everybody sees of the match between the person's turns
session    the stream to the referee: one match at a time, asked for as a challenge

A program's bot answers within its turn; a person may need a minute. So nothing here waits for an
answer: turns are kept until one is given, and a stream that is lost meanwhile is opened again.
"""
