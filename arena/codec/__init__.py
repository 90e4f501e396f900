"""Translation between the values of the rules and the messages on the wire; done only here.

Each game has its codec (`GameCodec`); `turns` and `transcript` hold what all games share.
"""
