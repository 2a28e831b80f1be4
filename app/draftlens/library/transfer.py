"""One file over HTTP: a few bytes of it, or all that is missing of it, appended where it stopped."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import requests
from urllib3.exceptions import HTTPError

from draftlens.library.hub_errors import HubError, Trouble, from_status

CHUNK = 1 << 20
_CONNECT_SECONDS = 10.0
_SMALL_SECONDS = 15.0


class Stopped(Exception):
    """The transfer was stopped on request; what arrived is kept."""


@dataclass
class Stop:
    """Ends transfers from another thread: at once also where one waits for bytes that do not come."""

    _asked: threading.Event = field(default_factory=threading.Event)
    _sockets: dict[int, socket.socket] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self) -> None:
        """Stop every transfer that was given this."""
        self._asked.set()
        with self._lock:
            for opened in self._sockets.values():
                with suppress(OSError):
                    opened.shutdown(socket.SHUT_RDWR)

    @property
    def asked(self) -> bool:
        return self._asked.is_set()

    def wait(self, seconds: float) -> None:
        """Sleep, unless it is time to stop."""
        if self._asked.wait(seconds):
            raise Stopped

    @contextmanager
    def breaks(self, response: requests.Response) -> Iterator[None]:
        """While inside, asking to stop ends the connection that a response is read from."""
        opened: socket.socket | None = None
        with suppress(OSError, ValueError, AttributeError):
            # A second descriptor of the same connection: closing it twice harms nobody.
            opened = socket.socket(fileno=os.dup(response.raw.fileno()))
        if opened is not None:
            with self._lock:
                self._sockets[opened.fileno()] = opened
            number = opened.fileno()
        try:
            if self.asked:
                raise Stopped
            yield
        finally:
            if opened is not None:
                with self._lock:
                    self._sockets.pop(number)
                opened.close()


def session() -> requests.Session:
    """A connection pool for the files of one download; proxies are taken from the environment."""
    made = requests.Session()
    # With a login of its own the library does not look for one in .netrc, which would outrank our header.
    made.auth = _as_it_is
    made.headers["User-Agent"] = "draftlens"
    # Compressed bytes could not be counted, nor continued.
    made.headers["Accept-Encoding"] = "identity"
    return made


def _as_it_is(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request


def read(url: str, headers: Mapping[str, str], what: str, most: int | None = None) -> bytes:
    """The bytes of an answer, at most `most` of them even if the server sends more.

    Raises:
        HubError: with the sentence about `what`.
    """
    with session() as client, _get(client, url, headers, what, _SMALL_SECONDS) as response:
        found = bytearray()
        with _told(what, Trouble.OFFLINE):
            while most is None or len(found) < most:
                block = response.raw.read(CHUNK if most is None else most - len(found))
                if not block:
                    break
                found += block
        return bytes(found)


def fetch(
    client: requests.Session,
    url: str,
    headers: Mapping[str, str],
    path: Path,
    size: int,
    *,
    blob: str = "",
    what: str,
    stop: Stop,
    arrived: Callable[[int], None],
    patience: float = 60.0,
) -> None:
    """Append to `path` what it lacks of `size` bytes.

    Args:
        blob: the hash the hub must still name for this file, where it names one.
        arrived: told the number of bytes after each block; negative where what was there had to go.
        patience: seconds without a byte after which the connection counts as lost.

    Raises:
        HubError: what happened; the bytes so far are kept unless they were wrong.
        Stopped: on request.
    """
    with path.open("ab") as file:
        have = file.tell()
        if have > size:
            _begin_again(file.fileno(), arrived, have)
            have = 0
        if have == size:
            return
        asked = {**headers, "Range": f"bytes={have}-"} if have else dict(headers)
        try:
            response = _get(client, url, asked, what, patience)
        except HubError as error:
            if error.trouble is Trouble.RANGE and not stop.asked:
                # What we have is not what the hub has: the next try starts at the beginning.
                _begin_again(file.fileno(), arrived, have)
            raise
        with response, stop.breaks(response):
            _check_blob(response, blob, what)
            if have and response.status_code != 206:
                _begin_again(file.fileno(), arrived, have)
                have = 0
            _check_length(response, have, size, what)
            have += _copy(response, file.fileno(), size - have, what, stop, arrived)
        if have < size:
            raise HubError(Trouble.LOST, what)
        os.fsync(file.fileno())


def _copy(
    response: requests.Response, descriptor: int, wanted: int, what: str, stop: Stop, arrived: Callable[[int], None]
) -> int:
    copied = 0
    try:
        with _told(what, Trouble.LOST):
            while copied < wanted:
                block = response.raw.read1(min(CHUNK, wanted - copied))
                if not block:
                    break
                view = memoryview(block)
                while view:
                    view = view[os.write(descriptor, view) :]
                copied += len(block)
                arrived(len(block))
                if stop.asked:
                    raise Stopped
    except HubError:
        if stop.asked:
            raise Stopped from None
        raise
    if stop.asked and copied < wanted:
        raise Stopped
    return copied


def _get(
    client: requests.Session, url: str, headers: Mapping[str, str], what: str, patience: float
) -> requests.Response:
    with _told(what, Trouble.OFFLINE):
        response = client.get(url, headers=dict(headers), stream=True, timeout=(_CONNECT_SECONDS, patience))
    if response.status_code in (200, 206):
        return response
    wait = response.headers.get("Retry-After", "")
    code = response.headers.get("X-Error-Code", "")
    response.close()
    raise from_status(
        response.status_code,
        code,
        what,
        with_token="Authorization" in headers,
        wait=float(wait) if wait.isdigit() else None,
    )


def _check_blob(response: requests.Response, blob: str, what: str) -> None:
    for answer in (*response.history, response):
        named = answer.headers.get("X-Linked-Etag") or (
            answer.headers.get("ETag") if "X-Repo-Commit" in answer.headers else None
        )
        if named and blob and named.removeprefix("W/").strip('"') != blob:
            raise HubError(Trouble.CHANGED, what)


def _check_length(response: requests.Response, have: int, size: int, what: str) -> None:
    if response.status_code == 206:
        place = response.headers.get("Content-Range", "")
        if place != f"bytes {have}-{size - 1}/{size}":
            raise HubError(Trouble.LENGTH, what, f"{place or 'no range'} instead of {size:,} bytes")
        return
    length = response.headers.get("Content-Length", "")
    if length.isdigit() and int(length) != size:
        raise HubError(Trouble.LENGTH, what, f"{int(length):,} instead of {size:,} bytes")


def _begin_again(descriptor: int, arrived: Callable[[int], None], had: int) -> None:
    os.ftruncate(descriptor, 0)
    arrived(-had)


@contextmanager
def _told(what: str, trouble: Trouble) -> Iterator[None]:
    """Turn what the HTTP library raises into a sentence."""
    try:
        yield
    except requests.TooManyRedirects as error:
        raise HubError(Trouble.REDIRECTS, what) from error
    except requests.RequestException as error:
        raise HubError(trouble, what) from error
    except (HTTPError, ConnectionError, TimeoutError) as error:
        raise HubError(trouble, what) from error
