"""A bot that asks a language model; docs/llm-bot.md says how to run it."""
