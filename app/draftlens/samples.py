"""Prompts for people who only want to see it work; shipped as one line each."""

from __future__ import annotations

from draftlens import paths


def sample_prompt() -> str:
    """Return the first sample."""
    text = (paths.resources() / "sample-prompts.txt").read_text(encoding="utf-8")
    return text.splitlines()[0]
