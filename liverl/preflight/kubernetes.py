"""Does a Kubernetes cluster answer, has it a ready node, and may this user make pods there?"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from liverl.preflight.finding import Finding
from liverl.preflight.programs import Said, ask_program

PROGRAM = "kubectl"
LIMIT_S = 10.0
_INSIDE = Path("/var/run/secrets/kubernetes.io/serviceaccount/token")
_CURE_CONFIG = "Put the cluster's kubeconfig there, or set KUBECONFIG to it"


def check_kubernetes(environment: Mapping[str, str] = os.environ, limit_s: float = LIMIT_S) -> list[Finding]:
    """Fatal where the cluster can't be used; takes little more than `limit_s`."""
    missing = judge_config(config_files(environment))
    if missing:
        return missing
    with ThreadPoolExecutor(2) as pool:
        nodes = pool.submit(_ask, limit_s, "get", "nodes", "-o", "json")
        rights = pool.submit(_ask, limit_s, "auth", "can-i", "create", "pods")
        return judge_cluster(nodes.result(), rights.result())


def config_files(environment: Mapping[str, str]) -> list[Path]:
    """Where kubectl looks for the cluster; empty inside of a pod, which needs no file."""
    named = [part for part in environment.get("KUBECONFIG", "").split(os.pathsep) if part]
    if not named and "KUBERNETES_SERVICE_HOST" in environment and _INSIDE.is_file():
        return []
    return [Path(part) for part in named] or [Path("~/.kube/config").expanduser()]


def judge_config(files: Sequence[Path]) -> list[Finding]:
    """Fatal where none of these files is there."""
    if not files or any(path.is_file() for path in files):
        return []
    seen = ", ".join(map(str, files))
    return [Finding("kubernetes:no_config", "fatal", "There is no kubeconfig file", seen, _CURE_CONFIG)]


def judge_cluster(nodes: Said | OSError, rights: Said | OSError) -> list[Finding]:
    """The findings of `kubectl get nodes -o json` and `kubectl auth can-i create pods`; an error: no kubectl."""
    if isinstance(nodes, OSError) or isinstance(rights, OSError):
        title = "kubectl is not installed; whether the cluster can be used was not tried"
        return [
            Finding(
                "kubernetes:no_client",
                "skipped",
                title,
                str(nodes),
                "Install kubectl of the cluster's version",
            )
        ]
    if nodes.status is None and rights.status is None:
        title = "The cluster does not answer in time"
        return [_unreachable(title, "")]
    findings = [*_nodes(nodes), *_rights(rights)]
    return findings or [Finding("kubernetes:reachable", "info", "Kubernetes answers", _ready(nodes.out))]


def _nodes(said: Said) -> list[Finding]:
    if not said.worked:
        words = said.last_words or "no answer in time"
        if "forbidden" in words.lower():  # may be so where pods may be made all the same
            title = "This user may not look at nodes; whether one is ready is not known"
            return [Finding("kubernetes:nodes_unseen", "skipped", title, words, "Ask who runs the cluster")]
        return [_unreachable("The cluster does not answer", words)]
    if not ready_nodes(said.out):
        cure = "kubectl get nodes   shows their state; ask who runs the cluster"
        return [
            Finding("kubernetes:no_node", "fatal", "The cluster has no ready node", _ready(said.out), cure)
        ]
    return []


def _rights(said: Said) -> list[Finding]:
    if said.worked:
        return []
    if said.out.strip().startswith("no"):  # exit status 1
        title = "This user may not make pods in the cluster"
        cure = "Ask who runs the cluster for the right to create pods, or name another namespace in the kubeconfig"
        return [Finding("kubernetes:no_rights", "fatal", title, said.last_words, cure)]
    title = "Whether this user may make pods is not known"
    words = said.last_words or "no answer in time"
    return [Finding("kubernetes:rights_unknown", "skipped", title, words, "kubectl auth can-i create pods")]


def ready_nodes(answer: str) -> list[str]:
    """The names of the nodes that are ready and take pods."""
    return [
        str(node.get("metadata", {}).get("name", ""))
        for node in _items(answer)
        if not node.get("spec", {}).get("unschedulable")
        and any(
            each.get("type") == "Ready" and each.get("status") == "True"
            for each in node.get("status", {}).get("conditions", [])
        )
    ]


def _ready(answer: str) -> str:
    return f"{len(ready_nodes(answer))} of {len(_items(answer))} nodes are ready and take pods"


def _items(answer: str) -> list[dict[str, dict[str, list[dict[str, str]]]]]:
    try:
        items = json.loads(answer)["items"]
    except (ValueError, KeyError, TypeError):
        return []
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _unreachable(title: str, words: str) -> Finding:
    cure = "kubectl cluster-info   shows which address it tries"
    return Finding("kubernetes:unreachable", "fatal", title, words, cure)


def _ask(limit_s: float, *words: str) -> Said | OSError:
    try:
        return ask_program((PROGRAM, *words), limit_s)
    except OSError as error:
        return error
