"""Pairs that are known to go together: a target and a small model of the same vocabulary, the smallest pair first."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Suggestion:
    """Two repositories of one family, and roughly what both take on disk."""

    target: str
    drafter: str
    gigabytes: float


SUGGESTIONS = (
    Suggestion("mlx-community/Qwen2.5-3B-Instruct-4bit", "mlx-community/Qwen2.5-0.5B-Instruct-4bit", 2.1),
    Suggestion("mlx-community/Llama-3.2-3B-Instruct-4bit", "mlx-community/Llama-3.2-1B-Instruct-4bit", 2.5),
    Suggestion("mlx-community/Qwen3-4B-4bit", "mlx-community/Qwen3-0.6B-4bit", 2.6),
    Suggestion("HuggingFaceTB/SmolLM2-1.7B-Instruct", "HuggingFaceTB/SmolLM2-135M-Instruct", 3.7),
    Suggestion("mlx-community/gemma-3-4b-it-4bit", "mlx-community/gemma-3-1b-it-4bit", 4.1),
    Suggestion("mlx-community/Qwen3-8B-4bit", "mlx-community/Qwen3-0.6B-4bit", 4.9),
    Suggestion("mlx-community/Meta-Llama-3.1-8B-Instruct-4bit", "mlx-community/Llama-3.2-1B-Instruct-4bit", 5.2),
)
