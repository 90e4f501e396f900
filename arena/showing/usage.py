"""The usage of a language model in words, with its units."""

from arena.match.notes import Usage


def cost_in_words(microusd: float) -> str:
    """Return a cost in millionths of a US dollar; below $1, as "$0.012": two significant digits."""
    dollars = microusd / 1_000_000
    return f"${dollars:,.2f}" if dollars >= 1 or not dollars else f"${dollars:.2g}"


def usage_in_words(usage: Usage) -> str:
    """Return tokens, cost and time, for people."""
    return (
        f"{usage.input_tokens:,} tokens read, {usage.output_tokens:,} written, "
        f"{cost_in_words(usage.cost_microusd)}, {usage.latency_ms / 1000:,.1f} s"
    )
