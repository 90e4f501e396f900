"""The only place that translates between the rules' values and the wire's messages."""
