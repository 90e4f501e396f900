"""Playing without a server: matches and deal blocks in processes of this machine."""
