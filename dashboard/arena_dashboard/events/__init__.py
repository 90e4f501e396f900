"""Events: their pages, forms and downloads, what organisers see, and the projector."""
