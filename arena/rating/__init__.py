"""Ratings of luck-heavy games: pure functions from results to numbers with their errors.

    methods         clusters and Elo model, between which a caller chooses
    results         the append-only log, in columns
    aggregate       wins and ties per pair of bots, kept up to date match by match
    bradley_terry   the fit: one Elo per bot
    intervals       its clustered sandwich covariance: standard errors, differences, LOS
    ranks           rank ranges and bands
    flags           what a reader must know before believing a rating
    ladder          all of that together, as the board and `arena rate` show it
    bootstrap       the intervals' cross-check
    head_to_head    who beat whom, and the pair that ratings explain worst
    win_share       first places per table size
    nash            Nash averaging
    plackett_luce   the exact model with ties; misfit compares it with the board's Elo
    history         ratings over time, replayed from the log
    sprt            "is version 2 better?", as a sequential test over `constrained` distributions
    luck            the control variate of a mean
    luck_sums       what the luck of matches adds up to, per pair of bots
    luck_column     the board's second column: Elo with luck taken out

Nothing here reads, waits or rolls: randomness comes in as a numpy Generator. Errors:

    RatingError(UserError, ValueError)
    ├── ResultError            a match that cannot be rated; says which rule it breaks
    ├── AnchorError            the anchor has played no match
    └── UnboundedRatingError   no finite rating without a prior; names the bots
"""

# Modules, and not what they hold: `arena --help` reads the choices without waiting for numpy.
__all__ = [
    "aggregate",
    "bootstrap",
    "bradley_terry",
    "errors",
    "flags",
    "head_to_head",
    "history",
    "intervals",
    "ladder",
    "luck",
    "methods",
    "misfit",
    "nash",
    "plackett_luce",
    "ranks",
    "results",
    "sprt",
    "win_share",
]
