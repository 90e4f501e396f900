"""Who plays whom next among the connected bots, block after block."""
