"""A person plays in the browser: as a bot among bots, over the same protocol.

people       who plays: sessions by key, how many at once, and who has left the page
routes       what the browser asks for beside the page: news as they come, answers
picture      a session as the JSON that the browser draws: what the seat may know, and nothing else
reveals      what a seat heard between two turns, as moments to be shown
controls     the legal actions of a turn as choices, step by step
component    mounts the table in the page

The JavaScript is in `player/assets`: the table is drawn as in a replay.
"""
