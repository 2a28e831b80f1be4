"""`draftlens models`: one verdict for a folder, a repository that is here and one on the hub; fetch, list, import."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cli.conftest import Call
from draftlens import main, paths
from draftlens.cli import run_cli
from draftlens.library.hub_errors import HubError
from library.hub_repos import bound_drafter, whole_model
from library.hub_server import HubServer
from library.toy_folder import model_folder
from library.toy_gguf import Toy

Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Say:
    def call(*words: str) -> tuple[int, str, str]:
        code = run_cli(["models", *words], main.rooms())
        ran = capsys.readouterr()
        return code, ran.out, ran.err

    return call


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with HubServer() as server:
        server.repos["acme/toy"] = whole_model(tmp_path / "toy")
        server.repos["z-lab/Qwen3.5-4B-DFlash"] = bound_drafter(tmp_path / "drafter")
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield server


def test_a_repository_is_fetched_listed_and_then_judged_without_a_network(say: Say, served: HubServer) -> None:
    code, out, _ = say("download", "acme/toy")
    assert code == 0
    folder = Path(out.strip())
    assert (folder / "model.safetensors").is_file()
    served.asked.clear()
    code, out, _ = say("list", "--json")
    (row,) = json.loads(out)
    assert (row["name"], row["role"], row["ready"]) == ("acme/toy", "chat model", True)
    code, out, _ = say("inspect", "acme/toy", "--json")
    assert (code, json.loads(out)["role"]) == (0, "chat model")
    assert main.rooms().find("acme/toy") == folder
    assert served.asked == []


def test_a_drafter_on_the_hub_is_refused_with_2_and_not_fetched(say: Say, served: HubServer) -> None:
    code, out, _ = say("inspect", "z-lab/Qwen3.5-4B-DFlash", "--json")
    verdict = json.loads(out)
    assert (code, verdict["role"], verdict["target"]) == (2, "bound drafter: DFlash", "Qwen 3.5 4B")
    code, out, err = say("download", "z-lab/Qwen3.5-4B-DFlash")
    assert code == 2
    assert out == ""
    assert "is a DFlash drafter, not a standalone model" in err
    assert "Nothing was fetched" in err
    assert say("download", "z-lab/Qwen3.5-4B-DFlash", "--anyway")[0] == 0


def test_what_is_nowhere_is_said(say: Say, served: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = say("inspect", "acme/nothing", "--json")
    assert code == 2
    assert json.loads(out)["reason"] == (
        "It is not on this computer. There is no model called acme/nothing on the hub."
    )
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    code, out, _ = say("inspect", "acme/nothing")
    assert code == 2
    assert "The hub cannot be reached" in out
    assert "Traceback" not in out
    assert say("download", "no-owner")[0] == 2


def test_an_unknown_name_given_to_generate_asks_no_hub(served: HubServer, call: Call) -> None:
    ran = call("generate", "-m", "someone/huge-repo", "-p", "hi")
    assert ran.code == 2
    assert "someone/huge-repo does not exist." in ran.err
    assert served.asked == []


def test_a_gguf_file_is_imported_into_our_own_folder(say: Say, tmp_path: Path) -> None:
    source = Toy().write(tmp_path / "Tiny.gguf")
    code, out, _ = say("inspect", str(source), "--json")
    assert (code, json.loads(out)["role"]) == (0, "GGUF file")
    code, out, _ = say("import", str(source), "--keep", "8bit")
    assert code == 0
    assert Path(out.strip()) == paths.models_dir() / "Tiny"
    assert json.loads(say("inspect", out.strip(), "--json")[1])["quantisation"] == "8-bit, group 64"
    code, _, err = say("import", str(source))
    assert code == 2
    assert "is there already" in err
    assert say("import", str(tmp_path / "no.gguf"))[0] == 2


def test_damaged_files_are_named_and_only_they_are_fetched_again(say: Say, served: HubServer) -> None:
    folder = Path(say("download", "acme/toy")[1].strip())
    weights = folder / "model.safetensors"
    whole = weights.read_bytes()
    code, out, _ = say("inspect", "acme/toy", "--check")
    assert code == 0
    assert out.splitlines()[-1] == ("All 4 files of acme/toy are whole: each holds what the hub’s hash says.")
    weights.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    code, out, _ = say("inspect", "acme/toy", "--check", "--json")
    assert code == 2
    check = json.loads(out)["check"]
    assert (check["files"], check["damaged"]) == (4, ["model.safetensors"])
    assert check["next"] == "draftlens models download acme/toy --check fetches only them again."
    served.sent = 0
    served.asked.clear()
    code, _, err = say("download", "acme/toy", "--check")
    assert code == 0
    assert "1 of 4 files of acme/toy is damaged: model.safetensors." in err
    assert weights.read_bytes() == whole
    assert [path for path in served.files_asked() if path.endswith("model.safetensors")][-1:]
    assert served.sent < len(whole) + 70_000
    code, _, err = say("inspect", str(folder.parent), "--check")
    assert code == 2
    assert "only files from the hub have hashes to check" in err
    assert "whether every byte is right cannot be told" in err


def test_a_file_filled_with_zeros_and_a_warning_are_said_when_it_is_inspected(say: Say, tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "model")
    (folder / "model-old.safetensors").write_bytes(b"x")
    code, out, _ = say("inspect", str(folder))
    assert code == 0
    assert "  model-old.safetensors does not belong to the model and is not loaded" in out.splitlines()
    with (folder / "model.safetensors").open("r+b") as file:
        file.truncate(8 << 20)
    code, out, _ = say("inspect", str(folder))
    assert code == 2
    assert "The second half of its model.safetensors holds only zeros." in out.splitlines()


def test_a_token_the_hub_refuses_is_left_out_and_said(
    say: Say, served: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_expired_token")
    served.fault = lambda handler, name: (401, {}) if handler.headers.get("Authorization") else None
    code, out, _ = say("inspect", "acme/toy")
    assert code == 0
    assert "  the hub does not accept the saved token, which was left out" in out.splitlines()
    code, _, err = say("download", "acme/toy")
    assert code == 0
    assert "draftlens: Note: the hub does not accept the saved token, which was left out." in err
    assert "hf_expired" not in out + err


def test_a_gated_model_is_asked_for_once_and_its_page_is_given(say: Say, served: HubServer) -> None:
    served.fault = lambda handler, name: (403, {"X-Error-Code": "GatedRepo"})
    code, out, _ = say("inspect", "acme/toy", "--json")
    assert code == 2
    assert "is gated: its owner must let you in first." in json.loads(out)["reason"]
    assert json.loads(out)["next"].endswith(f"Its page is {served.url}/acme/toy")
    assert len(served.asked) == 1
    with pytest.raises(HubError, match=f"Its page is {served.url}/acme/toy$"):
        main.rooms().download("acme/toy", None, False)
