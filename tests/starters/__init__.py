"""The starters of sample_bots/ in all languages, and the vectors that they are tested on."""
