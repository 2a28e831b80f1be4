"""Draftlens: chat with local language models and see what speculative decoding does."""

__version__ = "0.1.0"
