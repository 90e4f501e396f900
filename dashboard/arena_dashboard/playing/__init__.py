"""A person plays in the browser: as a bot among bots, over the same protocol.

people       who plays: sessions by key, how many at once, and who has left the page
routes       what the browser asks for beside the page: news as they come, answers
picture      a session as the JSON that the browser draws: what the seat may know, and nothing else
story        all that was shown of a match so far, as frames and as sentences
reveals      what a seat heard in one message, as moments to be shown
between      what a seat knows between its turns
controls     the legal actions of a turn as choices, step by step
game_options    the options of a game as widgets
component    mounts the table in the page

The JavaScript is in `player/assets`: the table is drawn as in a replay.
"""
