"""Play without a server: matches and deal blocks in processes on this machine."""
