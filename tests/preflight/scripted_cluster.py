"""A Kubernetes API server that knows nodes and one right, as the real kubectl asks for them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

_REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


def node(name: str, ready: bool = True, **spec: object) -> dict[str, Any]:
    """A node as the API tells it."""
    conditions = [{"type": "Ready", "status": "True" if ready else "False"}]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "spec": spec,
        "status": {"conditions": conditions},
    }


@contextmanager
def scripted_cluster(folder: Path, nodes: list[dict[str, Any]], allowed: bool = True) -> Iterator[Path]:
    """Serves until the block ends; gives the kubeconfig that leads there."""
    group = {"name": "authorization.k8s.io", "version": "v1", "groupVersion": "authorization.k8s.io/v1"}
    named = {"groupVersion": group["groupVersion"], "version": "v1"}
    answers = {
        "/api": {"kind": "APIVersions", "versions": ["v1"]},
        "/api/v1": {
            "kind": "APIResourceList",
            "groupVersion": "v1",
            "resources": [
                {
                    "name": "nodes",
                    "singularName": "node",
                    "namespaced": False,
                    "kind": "Node",
                    "verbs": ["list"],
                },
                {
                    "name": "pods",
                    "singularName": "pod",
                    "namespaced": True,
                    "kind": "Pod",
                    "verbs": ["create"],
                },
            ],
        },
        "/apis": {
            "kind": "APIGroupList",
            "groups": [{"name": group["name"], "versions": [named], "preferredVersion": named}],
        },
        "/apis/authorization.k8s.io/v1": {
            "kind": "APIResourceList",
            "groupVersion": group["groupVersion"],
            "resources": [],
        },
        "/api/v1/nodes": {"kind": "NodeList", "apiVersion": "v1", "items": nodes},
        _REVIEWS: {
            "kind": "SelfSubjectAccessReview",
            "apiVersion": group["groupVersion"],
            "spec": {},
            "status": {"allowed": allowed},
        },
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(200)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self._answer(201)

        def _answer(self, status: int) -> None:
            found = answers.get(self.path.partition("?")[0])
            body = json.dumps(found or {"kind": "Status", "status": "Failure", "code": 404}).encode()
            self.send_response(status if found else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield kubeconfig(folder, server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()


def kubeconfig(folder: Path, port: int) -> Path:
    """A kubeconfig that leads to a port of this machine."""
    path = folder / "kubeconfig"
    cluster = {"name": "c", "cluster": {"server": f"http://127.0.0.1:{port}"}}
    context = {"name": "x", "context": {"cluster": "c", "user": "u"}}
    user = {"name": "u", "user": {}}
    content = {"apiVersion": "v1", "kind": "Config", "current-context": "x"}
    path.write_text(json.dumps({**content, "clusters": [cluster], "contexts": [context], "users": [user]}))
    return path
