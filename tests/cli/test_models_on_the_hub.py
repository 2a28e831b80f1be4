"""`draftlens models inspect OWNER/NAME` says of a repository what it says of its folder, for a few kilobytes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from mlx.utils import tree_flatten
from mlx_lm.utils import _get_classes

from draftlens import main
from draftlens.cli import run_cli
from draftlens.library.roles import Role
from library.hub_repos import repo_of
from library.hub_server import HubServer
from library.toy_folder import llama_config, llama_tensors, model_folder, write_tensors

BORROWING = [name for name in llama_tensors() if "embed" not in name]
HEAD = ["fc.weight", "layers.0.self_attn.q_proj.weight", "layers.0.mlp.up_proj.weight"]
INDEX = "model.safetensors.index.json"
SIZE = 1_000_000

Made = dict[str, Any]


def _with(*architectures: str, **more: Any) -> Made:
    return llama_config(**more) | ({"architectures": list(architectures)} if architectures else {})


# Role, config and tensors of what is told by them alone.
BY_CONTENT: dict[Role, tuple[Made, list[str]]] = {
    Role.DFLASH: (_with("DFlashDraftModel", dflash_config={"target_layer_ids": [1, 8]}), BORROWING),
    Role.DFLASH2: (_with("DFlash2DraftModel", dflash_config={"selector_rank": 4}), BORROWING),
    Role.DSPARK: (_with("Lfm2DSparkDraftModel", dflash_config={"markov_rank": 4}), BORROWING),
    Role.GEMMA_MTP: (_with("Gemma4AssistantForCausalLM", model_type="gemma4_assistant"), BORROWING),
    Role.MUSE: (_with("MuseGlimmerAssistantModel", model_type="muse_glimmer_assistant"), BORROWING),
    Role.MTP_HEAD: (_with(), ["model.embed_tokens.weight", "mtp.fc.weight", "mtp.norm.weight"]),
    Role.EAGLE: (_with(), ["embed_tokens.weight", *HEAD]),
    Role.MEDUSA: (_with(), ["0.0.linear.weight", "0.1.weight"]),
    Role.MLP_SPECULATOR: (_with(), ["emb.0.weight", "proj.0.weight", "ln.0.weight"]),
    Role.UNSUPPORTED: (_with("MossForCausalLM", model_type="moss"), llama_tensors()),
}


def _by_content(folder: Path, role: Role) -> Path:
    config, tensors = BY_CONTENT[role]
    return model_folder(folder, config, tensors)


def _adapter(folder: Path) -> Path:
    folder.mkdir()
    (folder / "adapter_config.json").write_text('{"base_model_name_or_path": "acme/base"}')
    write_tensors(folder / "adapters.safetensors", ["model.layers.0.self_attn.q_proj.lora_a"])
    return folder


def _embedding(folder: Path) -> Path:
    (model_folder(folder) / "modules.json").write_text("[]")
    return folder


def _without_a_shard(folder: Path) -> Path:
    (model_folder(folder) / "model.safetensors").rename(folder / "model-00001-of-00002.safetensors")
    index = {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}
    (folder / INDEX).write_text(json.dumps({"weight_map": index}))
    return folder


def _cut_short(folder: Path) -> Path:
    path = model_folder(folder) / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-4])
    return folder


def _naming_code(folder: Path) -> Path:
    return model_folder(folder, llama_config(auto_map={"AutoModelForCausalLM": "code.Model"}))


def _wrapping_a_text_model(folder: Path) -> Path:
    text = {
        "model_type": "gemma3_text", "hidden_size": 32, "intermediate_size": 32, "num_attention_heads": 2,
        "num_hidden_layers": 2, "num_key_value_heads": 1, "head_dim": 16, "rms_norm_eps": 1e-5, "vocab_size": 64,
        "sliding_window": 8, "query_pre_attn_scalar": 16, "sliding_window_pattern": 2, "rope_theta": 1e4,
    }  # fmt: skip
    config: Made = {"model_type": "gemma3", "architectures": ["Gemma3ForConditionalGeneration"], "vocab_size": 64}
    config |= {"text_config": text, "vision_config": {"hidden_size": 8}}
    made, arguments = _get_classes(config=config)
    model_folder(folder, config)
    weights = dict(tree_flatten(made(arguments.from_dict(config)).parameters()))
    mx.save_safetensors(str(folder / "model.safetensors"), weights)
    return folder


OTHERS = {
    "tied": (model_folder, "chat model"),
    "auto-map": (_naming_code, "chat model"),
    "wrapper": (_wrapping_a_text_model, "chat model"),
    "adapter": (_adapter, "adapter"),
    "embedding": (_embedding, "embedding"),
    "missing-shard": (_without_a_shard, "incomplete"),
    "cut-short": (_cut_short, "incomplete"),
}


@pytest.fixture(scope="module")
def hub() -> Iterator[HubServer]:
    with HubServer() as server:
        yield server


@pytest.mark.parametrize("kind", [*BY_CONTENT, *OTHERS])
def test_the_verdict_on_a_repository_is_that_on_its_folder(
    hub: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    if isinstance(kind, Role):
        folder, role = _by_content(tmp_path / "there", kind), kind.value
    else:
        make, role = OTHERS[kind]
        folder = make(tmp_path / "there")
    if kind != "cut-short":
        for file in folder.glob("*.safetensors"):
            os.truncate(file, SIZE)
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    hub.repos, hub.sent = {"acme/there": repo_of(folder)}, 0
    said = []
    for name in ("acme/there", str(folder)):
        code = run_cli(["models", "inspect", name, "--json"], main.rooms())
        said.append((code, json.loads(capsys.readouterr().out)))
    assert said[0] == said[1]
    assert said[0][1]["role"] == role
    assert (said[0][0] == 2) == (role != "chat model")
    assert hub.sent < 80_000
    assert not (tmp_path / "cache").exists()
