"""Programs that build the value tables of `arena.lab.luck`."""
