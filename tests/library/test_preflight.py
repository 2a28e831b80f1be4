"""A repository is judged before it is fetched, by the same judge as a folder, for a few kilobytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import constants
from huggingface_hub.utils import _detect_agent

from draftlens.core.errors import UserError
from draftlens.library import checkpoint, preflight
from draftlens.library.hub import Hub
from draftlens.library.roles import Role
from library.hub_repos import bound_drafter, repo_of, whole_model
from library.hub_server import HubServer, Repo
from library.toy_folder import LAYER, llama_config, model_folder


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    with HubServer() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield server


def test_a_whole_model_is_judged_like_its_folder_for_a_few_kilobytes(served: HubServer, tmp_path: Path) -> None:
    served.repos["acme/toy"] = whole_model(tmp_path / "toy", 3_000_000)
    seen = preflight.look(Hub(), "acme/toy")
    on_disk = checkpoint.inspect(tmp_path / "toy")
    assert (seen.verdict.role, seen.verdict.reason) == (on_disk.role, on_disk.reason)
    assert seen.verdict.parameters == on_disk.parameters
    assert seen.size > 3_000_000
    assert served.sent < 100_000


def test_a_drafter_is_refused_by_name_before_its_weights_are_fetched(served: HubServer, tmp_path: Path) -> None:
    served.repos["z-lab/Qwen3.5-4B-DFlash"] = bound_drafter(tmp_path / "drafter")
    verdict = preflight.look(Hub(), "z-lab/Qwen3.5-4B-DFlash").verdict
    assert verdict.role is Role.DFLASH
    assert verdict.target is not None
    assert (verdict.target.name, verdict.target.repo) == ("Qwen 3.5 4B", "Qwen/Qwen3.5-4B")
    assert dict(verdict.facts) == {
        "architectures": '["DFlashDraftModel"]',
        "model_type": "llama",
        "dflash_config": "present",
        "embed_tokens.weight": "absent",
        "lm_head.weight": "absent",
        "target_layer_ids": "1, 8",
    }


def test_a_head_behind_an_ordinary_config_is_refused_by_its_headers(served: HubServer, tmp_path: Path) -> None:
    tensors = ["embed_tokens.weight", "fc.weight", *(f"layers.0.{part}" for part in LAYER)]
    served.repos["acme/eagle"] = repo_of(model_folder(tmp_path / "head", llama_config(), tensors))
    assert preflight.look(Hub(), "acme/eagle").verdict.role is Role.EAGLE


def test_what_is_not_a_model_says_so(served: HubServer, tmp_path: Path) -> None:
    served.repos["acme/data"] = Repo({"README.md": b"#", "rows.parquet": b"x"})
    verdict = preflight.look(Hub(), "acme/data").verdict
    assert verdict.role is Role.NOT_A_MODEL
    assert "holds no safetensors and no GGUF files" in verdict.reason
    config = {"model_type": "whisper", "architectures": ["WhisperForConditionalGeneration"]}
    served.repos["acme/speech"] = whole_model(tmp_path / "speech")
    served.repos["acme/speech"].files["config.json"] = json.dumps(config).encode()
    assert preflight.look(Hub(), "acme/speech").verdict.role is Role.UNSUPPORTED


@pytest.mark.parametrize(
    ("status", "code", "says"),
    [
        (401, "", "is private, or does not exist"),
        (403, "GatedRepo", "is gated: its owner must let you in first"),
        (404, "RepoNotFound", "There is no model called acme/toy on the hub"),
        (500, "", "The hub has trouble of its own"),
    ],
)
def test_gated_private_and_missing_are_told_apart(served: HubServer, status: int, code: str, says: str) -> None:
    served.fault = lambda handler, name: (status, {"X-Error-Code": code} if code else {})
    with pytest.raises(UserError) as told:
        preflight.look(Hub(), "acme/toy")
    assert says in told.value.sentence
    assert told.value.next_step


def test_search_tells_what_can_run_here(served: HubServer, tmp_path: Path) -> None:
    served.repos["acme/toy"] = whole_model(tmp_path / "toy")
    served.repos["acme/odd"] = Repo({}, config={"model_type": "nobody_knows"}, gated=True)
    found = {item.name: item for item in Hub().search("acme")}
    assert (found["toy"].runs, found["toy"].gated, found["toy"].licence) == (True, False, "apache-2.0")
    assert (found["odd"].runs, found["odd"].gated) == (False, True)
    assert Hub().search("nothing like it") == []
    assert Hub().search("acme", kind="gguf") == []


def test_the_hub_hears_what_was_asked_and_nothing_else(
    served: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.repos["acme/toy"] = whole_model(tmp_path / "toy")
    # What its client remembers of earlier days and of other tests.
    monkeypatch.setattr(_detect_agent, "_registry", None)
    monkeypatch.setattr(constants, "AGENT_HARNESSES_PATH", str(tmp_path / "agents.json"))
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_TELEMETRY", False)
    monkeypatch.setattr(constants, "ENDPOINT", served.url)
    Hub().search("acme")
    Hub().listing("acme/toy")
    assert [path for _, path, _ in served.asked] == ["/", "/api/models", "/api/models/acme/toy/revision/main"]
    sent = served.asked[1][2]["user-agent"]
    assert [part.split("/")[0] for part in sent.split("; ")] == ["draftlens", "hf_hub", "python"]
