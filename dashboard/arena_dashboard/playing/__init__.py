"""Play in the browser: a person plays as a bot among bots, over the same protocol.

people       the people who play: sessions by key, limits on their number, absence from the page
routes       the browser's requests besides the page: a stream of news, and answers
picture      a session as the JSON that the browser draws: only what the seat may know
story        all that was shown of a match so far, as frames and as sentences
reveals      the content of one message to a seat, as moments to show
controls     the legal actions of a turn as choices, step by step
game_options    the options of a game as widgets
deadline     a timer whose deadline can be moved cheaply

The JavaScript is in `player/assets`: the table is drawn as in a replay.
"""
