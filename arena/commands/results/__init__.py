"""Commands about recorded matches: list, transcript, verify, luck, analyse, export."""
