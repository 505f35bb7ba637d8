"""A hub on loopback: the API, redirects, headers and status codes of the real one, and ways to fail."""

import hashlib
import json
import re
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LARGE = 50_000
"""Bytes from which on a file is stored apart (LFS), with a SHA-256."""


@dataclass
class Model:
    """A repository: what it holds, and what goes wrong with it."""

    files: dict
    license: str = "apache-2.0"
    gated: object = False
    sha: str = "c" * 40
    declared: dict = field(default_factory=dict)  # sizes and checksums that are not those of the files


@dataclass
class Hub:
    """The server's own state; `asked` are the requests it had, with their Range."""

    models: dict
    renamed: dict = field(default_factory=dict)
    asked: list = field(default_factory=list)
    cuts: list = field(default_factory=list)  # bytes after which the next answers of a large file end
    pace: float = 0.0  # seconds before each 64 kB of a large file
    stalled: bool = False  # a large file begins and then nothing comes
    ranges: bool = True
    status: int = 0  # of every answer, where it is not 0
    url: str = ""

    def ranges_of(self, name):
        return [value for path, value in self.asked if path.endswith(name) and "/cdn/" in path]


def sha1(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def sibling(name, content, declared):
    """A file as the API lists it."""
    found = {"rfilename": name, "size": len(content), "blobId": sha1(content)}
    if len(content) >= LARGE:
        lfs = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 135}
        found["lfs"] = lfs | declared.get(name, {})
    return found


@contextmanager
def serving(**models):
    """A hub that has these models, by names in which __ stands for the slash."""
    hub = Hub({name.replace("__", "/").replace("_", "-"): model for name, model in models.items()})

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_GET(self):
            hub.asked.append((self.path, self.headers.get("Range")))
            path = self.path.partition("?")[0]
            if hub.status:
                return self.answer(hub.status, b'{"error":"Busy"}')
            if path.startswith("/api/models/"):
                return self.about(path.removeprefix("/api/models/"))
            if found := re.fullmatch(r"/(.+)/resolve/([0-9a-f]{40})/(.+)", path):
                return self.resolve(*found.groups())
            kind, _, rest = path.removeprefix("/").partition("/")
            owner, name, file = rest.split("/", 2)
            content = hub.models[f"{owner}/{name}"].files[file]
            return self.send_whole(content) if kind == "small" else self.send_large(content)

        def about(self, name):
            if name in hub.renamed:
                return self.answer(307, b"", Location=self.path.replace(name, hub.renamed[name]))
            model = hub.models.get(name)
            if model is None:
                headers = {"X-Error-Code": "RepoNotFound", "X-Error-Message": "Invalid username or password."}
                return self.answer(401, b'{"error":"Invalid username or password."}', **headers)
            siblings = [sibling(file, content, model.declared) for file, content in model.files.items()]
            about = {
                "id": name,
                "modelId": name,
                "sha": model.sha,
                "private": False,
                "gated": model.gated,
                "disabled": False,
                "downloads": 1,
                "likes": 1,
                "tags": ["transformers", f"license:{model.license}"],
                "cardData": {"license": model.license},
                "siblings": siblings,
            }
            return self.answer(200, json.dumps(about).encode())

        def resolve(self, name, sha, file):
            model = hub.models[name]
            if model.gated:
                return self.answer(401, b"", **{"X-Error-Code": "GatedRepo"})
            if sha != model.sha or file not in model.files:
                return self.answer(404, b"", **{"X-Error-Code": "EntryNotFound"})
            content = model.files[file]
            headers = {"X-Repo-Commit": sha, "X-Linked-Size": str(len(content)), "Accept-Ranges": "bytes"}
            if len(content) < LARGE:
                return self.answer(307, b"", Location=f"/small/{name}/{file}", **headers)
            headers["X-Linked-ETag"] = f'"{hashlib.sha256(content).hexdigest()}"'
            return self.answer(302, b"", Location=f"{hub.url}/cdn/{name}/{file}", **headers)

        def send_whole(self, content):
            self.answer(200, content, ETag=f'"{sha1(content)}"')

        def send_large(self, content):
            start, asked = 0, self.headers.get("Range")
            if asked and hub.ranges:
                start = int(re.fullmatch(r"bytes=(\d+)-", asked).group(1))
            rest = content[start:]
            self.send_response(206 if asked and hub.ranges else 200)
            if asked and hub.ranges:
                self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            self.send_header("Content-Length", str(len(rest)))
            self.end_headers()
            end = hub.cuts.pop(0) if hub.cuts else len(rest)
            for at in range(0, min(end, len(rest)), 65_536):
                time.sleep(hub.pace)
                self.wfile.write(rest[at : min(at + 65_536, end)])
                while hub.stalled:
                    time.sleep(0.05)
            self.close_connection = True

        def answer(self, status, body, **headers):
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_):  # a client that went away
            pass

    server = Server(("127.0.0.1", 0), Handler)
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield hub
    finally:
        hub.stalled = False
        server.shutdown()
        server.server_close()
