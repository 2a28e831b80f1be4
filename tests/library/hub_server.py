"""A hub on the loopback: listings, files, ranges and redirects by its protocol, failures on demand, all counted."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

COMMIT = "c0ffee" + "0" * 34


def git_hash(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


@dataclass
class Repo:
    """A repository: files by name; those in `large` are stored apart and reached through a redirect."""

    files: dict[str, bytes]
    large: frozenset[str] = frozenset()
    gated: bool = False
    commit: str = COMMIT
    tags: tuple[str, ...] = ("mlx", "license:apache-2.0")
    config: dict[str, Any] = field(default_factory=dict)

    def blob(self, name: str) -> str:
        content = self.files[name]
        return hashlib.sha256(content).hexdigest() if name in self.large else git_hash(content)

    def info(self, id: str) -> dict[str, Any]:
        siblings = []
        for name, content in self.files.items():
            entry: dict[str, Any] = {"rfilename": name, "size": len(content), "blobId": git_hash(content)}
            if name in self.large:
                entry["lfs"] = {"size": len(content), "sha256": self.blob(name), "pointerSize": 120}
            siblings.append(entry)
        return {
            "id": id, "sha": self.commit, "gated": self.gated, "siblings": siblings, "tags": list(self.tags),
            "downloads": 7, "likes": 3, "config": self.config,
        }  # fmt: skip


Answer = tuple[int, dict[str, str]]
Fault = Callable[["Handler", str], Answer | None]
"""Asked before a file is sent, with its name: None sends it, an answer is sent instead."""


@dataclass
class HubServer:
    """Serves `repos`; `sent` counts body bytes of files, `asked` every request with its headers."""

    repos: dict[str, Repo] = field(default_factory=dict)
    fault: Fault | None = None
    cut_after: int | None = None
    hang_after: int | None = None
    truth: dict[str, bytes] = field(default_factory=dict)
    sent: int = 0
    asked: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    closing: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> HubServer:
        handler = type("Bound", (Handler,), {"hub": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def files_asked(self) -> list[str]:
        return [path for _, path, _ in self.asked if "/resolve/" in path]


class Handler(BaseHTTPRequestHandler):
    """One request."""

    hub: HubServer
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        hub = self.hub
        parts = urlsplit(self.path)
        path = unquote(parts.path)
        with hub.lock:
            hub.asked.append((self.command, path, {k.lower(): v for k, v in self.headers.items()}))
        if path == "/api/models":
            self._search(parse_qs(parts.query))
        elif found := re.fullmatch(r"/api/models/([^/]+/[^/]+)(?:/revision/.+)?", path):
            self._info(found[1])
        elif found := re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            self._resolve(found[1], found[3])
        elif found := re.fullmatch(r"/stored/([^/]+/[^/]+)/(.+)", path):
            self._send_file(found[1], found[2])
        else:
            self._status(404)

    def _search(self, query: dict[str, list[str]]) -> None:
        if self._failed("search"):
            return
        words = query.get("search", [""])[0].lower()
        wanted = query.get("filter", [])
        self._json(
            [
                {k: v for k, v in repo.info(id).items() if k != "siblings"}
                for id, repo in self.hub.repos.items()
                if words in id.lower() and all(tag in repo.tags for tag in wanted)
            ]
        )

    def _info(self, id: str) -> None:
        if self._failed(id):
            return
        if id not in self.hub.repos:
            self._status(404, {"X-Error-Code": "RepoNotFound"})
            return
        self._json(self.hub.repos[id].info(id))

    def _resolve(self, id: str, name: str) -> None:
        repo = self.hub.repos.get(id)
        if self._failed(name):
            return
        if repo is None or name not in repo.files:
            self._status(404, {"X-Error-Code": "RepoNotFound" if repo is None else "EntryNotFound"})
        elif name in repo.large:
            headers = {"Location": f"/stored/{id}/{name}", "X-Repo-Commit": repo.commit}
            self._status(302, headers | {"X-Linked-Etag": f'"{repo.blob(name)}"'})
        else:
            self._send_file(id, name)

    def _failed(self, name: str) -> bool:
        answer = None if self.hub.fault is None else self.hub.fault(self, name)
        if answer is None:
            return False
        self._status(answer[0], answer[1])
        return True

    def _send_file(self, id: str, name: str) -> None:
        repo = self.hub.repos[id]
        content = self.hub.truth.get(name, repo.files[name])
        start, status = 0, 200
        headers = {"ETag": f'"{repo.blob(name)}"', "X-Repo-Commit": repo.commit}
        end = len(content)
        if found := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")):
            start = int(found[1])
            end = min(end, int(found[2]) + 1) if found[2] else end
            if start >= len(content):
                self._status(416)
                return
            status = 206
            headers["Content-Range"] = f"bytes {start}-{end - 1}/{len(content)}"
        self.send_response(status)
        for key, value in (headers | {"Content-Length": str(end - start)}).items():
            self.send_header(key, value)
        self.end_headers()
        self._body(content[start:end])

    def _body(self, content: bytes) -> None:
        hub = self.hub
        limit = next((n for n in (hub.cut_after, hub.hang_after) if n is not None), len(content))
        part = content[:limit] if len(content) > 1000 else content
        try:
            for at in range(0, len(part), 65536):
                block = part[at : at + 65536]
                self.wfile.write(block)
                with hub.lock:
                    hub.sent += len(block)
            self.wfile.flush()
        except OSError:
            self.close_connection = True
            return
        if len(part) < len(content):
            self.close_connection = True
            if hub.hang_after is not None:
                while not hub.closing.is_set():
                    time.sleep(0.02)

    def _json(self, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _status(self, status: int, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for key, value in {"Content-Length": "0", **(headers or {})}.items():
            self.send_header(key, value)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""
