"""Trains the net of the sample bot `crowd`: `python -m tools.crowd`.

Rounds are played as games of their own, many at once. What a round is worth to a seat is the change
of its chance to win the match, which a second, smaller net estimates from everybody's dice before
and after; when two seats are left, it is what the tables of `cfr` say. The first net, which the bot
plays, is improved by policy gradient (PPO: Schulman and others 2017), from the play of `bayes` on.
"""
