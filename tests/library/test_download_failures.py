"""Each way a download can fail has its sentence; what passes is tried again, and nothing damaged is ever used."""

from __future__ import annotations

from pathlib import Path

import pytest

from draftlens.core.errors import UserError
from draftlens.library import choice, hub_cache
from draftlens.library import download as downloading
from draftlens.library.download import Download
from draftlens.library.download_state import Patience, State
from draftlens.library.hub import Hub
from draftlens.library.hub_token import Token
from draftlens.ui.models.shelf import in_words
from library.fetching import QUICK, REPO, WEIGHTS, begin, ended, until, weights
from library.hub_server import Answer, Handler, HubServer


def fails(server: HubServer, answer: Answer, name: str = WEIGHTS, times: int = 99) -> None:
    left = [times]

    def fault(_: Handler, asked: str) -> Answer | None:
        if asked != name or left[0] == 0:
            return None
        left[0] -= 1
        return answer

    server.fault = fault


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((401, {}), "is private, or does not exist"),
        ((401, {"X-Error-Code": "GatedRepo"}), "is gated: its owner must let you in first"),
        ((403, {}), "is gated: its owner must let you in first"),
        ((404, {"X-Error-Code": "EntryNotFound"}), "is not on the hub any more"),
        ((404, {"X-Error-Code": "RevisionNotFound"}), "has changed on the hub since its download began"),
        ((429, {}), "The hub asks to slow down"),
        ((500, {}), "The hub has trouble of its own (500)"),
        ((503, {}), "The hub has trouble of its own (503)"),
        ((302, {"Location": "/acme/toy-1b/resolve/x/model.safetensors"}), "sent us in circles"),
        ((200, {"Content-Length": "0"}), "has another length than announced (0 instead of 400,000 bytes)"),
        ((418, {}), "The hub answered 418"),
    ],
)
def test_each_refusal_has_its_sentence(served: HubServer, cache: Path, answer: Answer, says: str) -> None:
    fails(served, answer)
    item = ended(begin(cache))
    assert item.state is State.FAILED
    problem = item.progress().problem
    assert problem is not None
    assert says in problem.sentence
    assert problem.next_step
    assert hub_cache.find(cache, REPO) is None


@pytest.mark.parametrize("status", [429, 500, 502])
def test_what_passes_is_tried_again(served: HubServer, cache: Path, status: int) -> None:
    fails(served, (status, {"Retry-After": "0"}), times=2)
    assert ended(begin(cache)).state is State.DONE


def test_until_the_next_try_it_is_said_what_hinders_and_afterwards_nothing(served: HubServer, cache: Path) -> None:
    fails(served, (503, {}), times=1)
    item = begin(cache, patience=Patience(tries=3, first=1.5))
    until(lambda: item.progress().problem is not None)
    waiting = item.progress()
    assert waiting.state is State.DOWNLOADING
    assert "trying again. The hub has trouble of its own (503)" in in_words(waiting)
    assert (ended(item).state, item.progress().problem) == (State.DONE, None)


def test_a_hub_that_cannot_be_reached_is_said(served: HubServer, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = choice.manifest_of(Hub().listing(REPO))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    item = Download(wanted, cache, Hub(), QUICK)
    item.start()
    assert "The hub cannot be reached" in str(ended(item).progress().problem)
    with pytest.raises(UserError, match="cannot be reached"):
        Hub().listing(REPO)


def test_a_refused_range_begins_the_file_again(served: HubServer, cache: Path) -> None:
    item = Download(choice.manifest_of(Hub().listing(REPO)), cache, Hub(), QUICK)
    part = item.manifest.partial(cache, weights(item))
    part.parent.mkdir(parents=True)
    part.write_bytes(b"x" * 1000)
    refusals = [1]

    def fault(handler: Handler, name: str) -> Answer | None:
        if name == WEIGHTS and handler.headers.get("Range") and refusals:
            refusals.pop()
            return 416, {}
        return None

    served.fault = fault
    item.start()
    assert ended(item).state is State.DONE
    assert not refusals


def test_a_damaged_file_alone_is_fetched_again_and_then_given_up(served: HubServer, cache: Path) -> None:
    good = served.repos[REPO].files[WEIGHTS]
    served.truth[WEIGHTS] = good[: len(good) // 2] + bytes(len(good) - len(good) // 2)
    item = ended(begin(cache))
    assert item.state is State.FAILED
    assert "arrived damaged twice" in str(item.progress().problem)
    assert [path.endswith(WEIGHTS) for path in served.files_asked()].count(True) == 2
    assert not item.manifest.blob(cache, weights(item)).exists()
    served.truth.clear()
    served.asked.clear()
    item.start()
    assert ended(item).state is State.DONE
    assert {path.rpartition("/")[2] for path in served.files_asked()} == {WEIGHTS}


def test_a_changed_file_is_not_mixed_with_the_part_that_is_there(served: HubServer, cache: Path) -> None:
    served.cut_after = 100_000
    item = ended(begin(cache, patience=Patience(tries=1)))
    served.cut_after = None
    served.repos[REPO].files[WEIGHTS] = b"y" * 400_000
    item.start()
    assert "has changed on the hub" in str(ended(item).progress().problem)


def test_a_full_disk_is_said_before_and_during(served: HubServer, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloading, "SPARE", 10**18)
    item = ended(begin(cache))
    assert item.state is State.FAILED
    assert "are free on its disk" in str(item.progress().problem)
    assert served.files_asked() == []
    monkeypatch.setattr(Download, "_require_space", lambda self, needed: None)
    monkeypatch.setattr(downloading, "_SPACE_EVERY", 50_000)
    item.start()
    assert "are free on its disk" in str(ended(item).progress().problem)
    item.cancel()
    assert list(cache.iterdir()) == []


def test_a_bad_token_does_not_hide_a_public_model(served: HubServer, cache: Path) -> None:
    def fault(handler: Handler, _: str) -> Answer | None:
        return (401, {}) if handler.headers.get("Authorization") else None

    served.fault = fault
    hub = Hub(lambda: Token("hf_expired_token", "a test"))
    assert ended(begin(cache, hub)).state is State.DONE
    assert hub.token_refused
    assert "hf_expired" not in repr(hub._find_token())


def test_the_token_is_not_sent_to_another_host(served: HubServer, cache: Path) -> None:
    with HubServer({REPO: served.repos[REPO]}) as other:
        target = f"{other.url.replace('127.0.0.1', 'localhost')}/stored/{REPO}/{WEIGHTS}"
        fails(served, (302, {"Location": target}))
        assert ended(begin(cache, Hub(lambda: Token("hf_secret_token", "a test")))).state is State.DONE
        assert all("authorization" in headers for _, _, headers in served.asked)
        assert other.asked
        assert all("authorization" not in headers for _, _, headers in other.asked)
