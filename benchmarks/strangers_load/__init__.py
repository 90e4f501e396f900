"""Bots of Bluff at two seats that no rung of the house was tuned on."""
