"""Serves one sparse file over HTTP as fast as the system can, so that the client is what is measured."""

from __future__ import annotations

import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

FILE = Path(sys.argv[1])


class Handler(BaseHTTPRequestHandler):
    """Any path is the file."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        with FILE.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            self.send_response(200)
            self.send_header("Content-Length", str(size))
            self.end_headers()
            self.wfile.flush()
            at = 0
            while at < size:
                at += os.sendfile(self.connection.fileno(), file.fileno(), at, min(size - at, 1 << 24))

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
