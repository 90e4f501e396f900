"""Ratings of games with much luck: pure functions that turn results into numbers with their errors.

    methods         clusters and Elo model: the choices open to the caller
    results         the append-only log, in columns
    aggregate       wins and ties per pair of bots, updated match by match
    bradley_terry   the fit: one Elo per bot
    intervals       its clustered sandwich covariance: standard errors, differences, LOS
    ranks           rank ranges and bands
    flags           reasons to doubt a rating
    ladder_id       the key of a ladder
    ladder          all of the above together, as the board and `arena rate` show it
    bootstrap       cross-check of the intervals
    head_to_head    results by pair and the worst residual
    win_share       first places per table size
    nash            Nash averaging
    plackett_luce   the exact model with ties; misfit compares it with the board's Elo
    history         ratings over time, replayed from the log
    sprt            "is version 2 better?", as a sequential test over `constrained` distributions;
                    running_sprt evaluates it while blocks come in
    luck            the control variate of a mean
    luck_sums       sums of the luck of matches, per pair of bots
    luck_column     the luck-adjusted Elo

Nothing here does I/O; randomness comes in as a numpy Generator. Errors:

    RatingError(UserError, ValueError)
    ├── ResultError            a match cannot be rated; states which rule it breaks
    ├── AnchorError            the anchor has played no match, or its Elo is too far away
    └── UnboundedRatingError   no finite rating without a prior; names the bots
"""

# Modules are not imported here, so that `arena --help` reads the choices without loading numpy.
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
