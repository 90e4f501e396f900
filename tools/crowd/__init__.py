"""Trains the net of the sample bot `crowd`: `python -m tools.crowd`.

Rounds are played as games of their own, many at once. The worth of a round to a seat is the change
of its chance to win the match, which a second, smaller net estimates from everybody's dice before
and after; when two seats are left, the tables of `cfr` give the chance. The first net, which the
bot plays, is improved by policy gradient (PPO: Schulman and others 2017); it begins with the play
of `bayes`.
"""
