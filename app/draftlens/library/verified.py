"""A verdict held against the loader itself: what looks complete and cannot be loaded is refused in its words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from draftlens.core.model import Folder
from draftlens.core.objection import Objection
from draftlens.library import checkpoint, folder
from draftlens.library.lookalikes import FETCH_AGAIN, MLX_VERSION
from draftlens.library.roles import Role, Verdict

Trial = Callable[[Folder], Objection | None]


def judge(path: Path, trial: Trial) -> Verdict:
    """The verdict on a path, after a trial of what it calls complete."""
    verdict = checkpoint.inspect(path)
    if not verdict.role.standalone:
        return verdict
    found = trial(folder.as_folder(path, verdict))
    if found is None:
        return verdict
    evidence = (found.evidence,) if found.evidence else verdict.evidence
    role = Role.INCOMPLETE if found.incomplete else Role.UNSUPPORTED
    step = FETCH_AGAIN if found.incomplete else MLX_VERSION
    return replace(verdict, role=role, reason=found.sentence, next=step, evidence=evidence)
