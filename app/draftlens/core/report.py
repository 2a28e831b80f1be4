"""The lines and blocks in which a run is reported: the seed's exact wording, from RunStats alone."""

from __future__ import annotations

from typing import Any

from draftlens.core.round import Round
from draftlens.core.stats import RunStats

RUN_RECORD_VERSION = 1


def acceptance_line(stats: RunStats) -> str:
    """The line printed after every speculative run."""
    rule, label = ("unknown", "no speculative round ran") if stats.rule is None else (stats.rule, stats.rule.label)
    return (
        f"[Speculative acceptance] rule={rule} rounds={stats.rounds} proposed={stats.proposed} "
        f"positions_tested={stats.tested} accepted={stats.accepted} "
        f"per_position_acceptance={stats.per_position_acceptance:.4f} acceptance_rate={stats.acceptance_rate:.4f} "
        f"mean_accepted_len={stats.mean_accepted_len:.4f} ({label})"
    )


def diagnostic_line(stats: RunStats) -> str | None:
    """The closed forms beside the measurement, None unless a tested position carried them."""
    low, high = stats.closed_form_prod, stats.closed_form_min
    if stats.tested == 0 or low is None or high is None or stats.sum_min <= 0:
        return None
    return (
        f"[Speculative acceptance diagnostic] closed_form_sum_min={high:.4f} closed_form_sum_prod={low:.4f} "
        "(the measured per-position acceptance sits at sum_prod under the default sampler-match rule and at sum_min "
        "under the opt-in acceptance-optimal rule; sum_min >= sum_prod always)"
    )


def lookup_line(stats: RunStats, shadow_confirmations: int) -> str:
    """The prompt lookup's own line: every decode round counts, drafted or not."""
    rounds = stats.forwards
    per_forward = stats.tokens_per_forward or 0.0
    return (
        f"[Prompt lookup] rounds={rounds} drafted_rounds={stats.rounds} paused_rounds={stats.paused_rounds} "
        f"proposed={stats.proposed} accepted={stats.accepted} acceptance_rate={stats.acceptance_rate:.4f} "
        f"tokens_per_forward={per_forward:.4f} shadow_confirmations={shadow_confirmations}"
    )


def timings_block(stats: RunStats) -> dict[str, float | int | str]:
    """The nine base keys, then the four draft keys if and only if a verify round ran."""
    per_prompt = stats.prompt_ms / stats.prompt_tokens if stats.prompt_tokens else 0.0
    per_token = stats.decode_ms / stats.generated if stats.generated else 0.0
    block: dict[str, float | int | str] = {
        "cache_n": stats.cached_tokens,
        "prompt_n": stats.prompt_tokens,
        "prompt_ms": stats.prompt_ms,
        "prompt_per_token_ms": per_prompt,
        "prompt_per_second": 1000 / per_prompt if per_prompt else 0.0,
        "predicted_n": stats.generated,
        "predicted_ms": stats.decode_ms,
        "predicted_per_token_ms": per_token,
        "predicted_per_second": 1000 / per_token if per_token else 0.0,
    }
    if stats.rounds:
        block |= {
            "draft_n": stats.proposed,
            "draft_n_accepted": stats.accepted,
            "draft_rounds": stats.rounds,
            "draft_kind": stats.drafter,
        }
    return block


def acceptance_json(stats: RunStats) -> dict[str, Any]:
    """The figures of the acceptance lines as JSON values; a figure that was not measured is absent."""
    block: dict[str, Any] = {
        "rule": "unknown" if stats.rule is None else str(stats.rule),
        "rounds": stats.rounds,
        "proposed": stats.proposed,
        "positions_tested": stats.tested,
        "accepted": stats.accepted,
        "per_position_acceptance": stats.per_position_acceptance,
        "acceptance_rate": stats.acceptance_rate,
        "mean_accepted_len": stats.mean_accepted_len,
    }
    if stats.rule is not None:
        block["lossless"] = stats.rule.lossless
    if stats.closed_form_min is not None:
        block["closed_form_sum_min"] = stats.closed_form_min
    if stats.closed_form_prod is not None:
        block["closed_form_sum_prod"] = stats.closed_form_prod
    if stats.z is not None:
        block["z"] = stats.z
    return block


def run_record(settings: dict[str, Any], text: str, rounds: list[Round], stats: RunStats) -> dict[str, Any]:
    """One reply as JSON values: settings, text, figures, timings and every round."""
    return {
        "version": RUN_RECORD_VERSION,
        "settings": settings,
        "text": text,
        "finish_reason": None if stats.finish is None else str(stats.finish),
        "acceptance": acceptance_json(stats),
        "timings": timings_block(stats),
        "rounds": [r.to_json() for r in rounds],
    }
