"""What lies on this computer is listed with its role or its reason, and nothing incomplete as ready."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from draftlens.library import checkpoint, hub_cache, sizes
from draftlens.library.catalog import Catalog, Installed, Origin, Places, default_places
from draftlens.library.roles import Role, Verdict
from library.toy_folder import llama_config, llama_tensors, model_folder, write_tensors
from library.toy_gguf import Toy


@pytest.fixture
def places(tmp_path: Path) -> Places:
    for name in ("hub", "own", "studio", "more"):
        (tmp_path / name).mkdir()
    return Places(tmp_path / "hub", tmp_path / "own", (tmp_path / "studio",), (tmp_path / "more",))


def snapshot(places: Places, repo: str, commit: str = "a" * 40) -> Path:
    folder = hub_cache.repo_folder(places.hub, repo)
    (folder / "refs").mkdir(parents=True, exist_ok=True)
    (folder / "refs" / "main").write_text(commit)
    (folder / "blobs").mkdir(exist_ok=True)
    return folder / "snapshots" / commit


def scan(places: Places) -> dict[str, Installed]:
    return {item.name: item for item in Catalog().scan(places)}


def test_each_place_is_read_where_it_lies(places: Places, tmp_path: Path) -> None:
    model_folder(snapshot(places, "acme/Cached"))
    model_folder(places.own / "Imported")
    model_folder(places.lm_studio[0] / "publisher" / "Studio-4bit")
    model_folder(places.added[0] / "deep" / "Added")
    Toy().write(places.added[0] / "Tiny.gguf")
    found = scan(places)
    assert {name: (item.owner, item.origin, item.ready) for name, item in found.items()} == {
        "Cached": ("acme", Origin.HUB, True),
        "Imported": ("Draftlens", Origin.OWN, True),
        "Studio-4bit": ("publisher", Origin.LM_STUDIO, True),
        "Added": ("local folder", Origin.ADDED, True),
        "Tiny.gguf": ("local folder", Origin.ADDED, False),
    }
    assert found["Cached"].repo == "acme/Cached"
    assert found["Tiny.gguf"].verdict.role is Role.GGUF


def test_what_is_broken_is_listed_with_its_reason(places: Places) -> None:
    missing = model_folder(places.own / "missing-shard")
    write_tensors(missing / "model-00001-of-00002.safetensors", llama_tensors())
    (missing / "model.safetensors").unlink()
    (model_folder(places.own / "zero-bytes") / "model.safetensors").write_bytes(b"")
    cut = model_folder(places.own / "cut") / "model.safetensors"
    cut.write_bytes(cut.read_bytes()[:-4])
    write_tensors(model_folder(places.own / "stray") / "model-old.safetensors", llama_tensors())
    (places.own / "adapter").mkdir()
    (places.own / "adapter" / "adapter_config.json").write_text('{"model": "acme/base"}')
    found = scan(places)
    reasons = {name: (item.label, item.verdict.reason) for name, item in found.items() if not item.ready}
    assert reasons["missing-shard"] == (
        "Incomplete",
        "It lacks 1 of 2 weight files: model-00002-of-00002.safetensors.",
    )
    assert reasons["zero-bytes"][0] == reasons["cut"][0] == "Incomplete"
    assert "is empty" in reasons["zero-bytes"][1]
    assert "is cut short" in reasons["cut"][1]
    assert reasons["adapter"] == ("Adapter", "It holds only the changes for acme/base, not the model they belong to.")
    assert found["stray"].ready
    assert "model-old.safetensors" in found["stray"].verdict.warnings[0]


def test_an_interrupted_download_of_another_tool_is_not_ready(places: Places) -> None:
    folder = snapshot(places, "acme/half")
    model_folder(folder)
    (folder / "model.safetensors").unlink()
    (folder.parents[1] / "blobs" / "abc.incomplete").write_bytes(b"x" * 100)
    begun = hub_cache.repo_folder(places.hub, "acme/begun") / "blobs"
    begun.mkdir(parents=True)
    (begun / "def.incomplete").write_bytes(b"x" * 2000)
    found = scan(places)
    assert (found["half"].ready, found["half"].verdict.role) == (False, Role.INCOMPLETE)
    assert found["begun"].verdict.reason == "Its download stopped at 2.0 kB."


def test_a_link_to_a_blob_that_is_gone_or_outside_is_refused(places: Places, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("key")
    outside = model_folder(snapshot(places, "acme/outside"))
    (outside / "extra.json").symlink_to(secret)
    gone = model_folder(snapshot(places, "acme/gone"))
    (gone / "model.safetensors").unlink()
    (gone / "model.safetensors").symlink_to("../../blobs/nothing")
    found = scan(places)
    assert "a link that leads out of the cache" in found["outside"].verdict.reason
    assert "model.safetensors" in found["gone"].verdict.reason
    assert not found["outside"].ready
    assert not found["gone"].ready


def test_removing_a_snapshot_leaves_what_another_one_shares(places: Places) -> None:
    first, second = snapshot(places, "acme/two"), snapshot(places, "acme/two", "b" * 40)
    blobs = first.parents[1] / "blobs"
    for name in ("shared", "only-first"):
        (blobs / name).write_text(name)
    for place, names in ((first, ("shared", "only-first")), (second, ("shared",))):
        place.mkdir(parents=True)
        for name in names:
            (place / name).symlink_to(f"../../blobs/{name}")
    assert hub_cache.removal(first) == [first, blobs / "only-first"]
    for path in hub_cache.removal(first)[1:]:
        path.unlink()
    (first / "shared").unlink()
    (first / "only-first").unlink()
    first.rmdir()
    assert hub_cache.removal(second) == [second.parents[1]]


def test_a_volume_that_is_gone_is_said_and_comes_back(places: Places, tmp_path: Path) -> None:
    away = Places(places.hub, places.own, (), (tmp_path / "volume",))
    (item,) = Catalog().scan(away)
    assert (item.absent, item.label, item.ready) == (True, "Not connected", False)
    model_folder(tmp_path / "volume" / "Model")
    assert [item.name for item in Catalog().scan(away)] == ["Model"]


def test_a_changed_folder_is_judged_again_and_another_is_not(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    model_folder(places.own / "a")
    model_folder(places.own / "b")
    catalog, inspect = Catalog(), checkpoint.inspect
    judged: list[str] = []

    def counted(path: Path) -> Verdict:
        judged.append(path.name)
        return inspect(path)

    monkeypatch.setattr(checkpoint, "inspect", counted)
    catalog.scan(places)
    (places.own / "b" / "config.json").write_text(json.dumps(llama_config(vocab_size=9)))
    catalog.scan(places)
    assert judged == ["a", "b", "more", "b"]


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"HF_HUB_CACHE": "/x/cache"}, "/x/cache"),
        ({"HF_HOME": "/x/home"}, "/x/home/hub"),
        ({"XDG_CACHE_HOME": "/x/cache"}, "/x/cache/huggingface/hub"),
    ],
)
def test_the_cache_is_where_the_environment_says(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], expected: str
) -> None:
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert default_places().hub == Path(expected)
    assert default_places(Path("/chosen")).hub == Path("/chosen")


def test_sizes_read_as_on_a_model_page() -> None:
    assert [sizes.on_disk(n) for n in (1_820_000_000, 269_000_000, 15_200_000_000, 900)] == [
        "1.82 GB",
        "269 MB",
        "15.2 GB",
        "900 bytes",
    ]
    assert sizes.pair(1_120_000_000, 1_810_000_000) == "1.12 of 1.81 GB"
