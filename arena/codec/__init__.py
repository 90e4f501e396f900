"""The only place that translates between the rules' values and the wire's messages.

One module per game (`GameCodec`), one for what is the same in all games (`turns`, `transcript`).
"""
