"""`arena ladder-climb`: how far a coding agent climbs the ladder of the house bots."""
