"""What lies outside a machine's own run directories and is asked of other programs: pods, and processes on GPUs."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from liverl.errors import RunError
from liverl.record.layout import RunDir
from liverl.record.masking import mask
from liverl.record.runfile import ProcessRef
from liverl.run.processes import start_ticks
from liverl.run.programs import ask_program

FORCE_VARIABLE = "RL_CLEAN_FORCE_GPU_KILL"
_LIMIT_S = 15.0
_DELETE_LIMIT_S = 60.0
# The value of a Kubernetes label has 63 characters at most, a whole SHA-256 in hexadecimal has 64.
_DIGEST_CHARS = 40


def pod_labels(run: RunDir) -> str:
    """The labels that a pod of this run has, both of them: the run's name, and which directory that is.

    A name alone may be another person's run on the same cluster.
    """
    digest = hashlib.sha256(str(run.root.resolve()).encode()).hexdigest()[:_DIGEST_CHARS]
    return f"harbor-run={run.name},liverl-run={digest}"


def pods_of(run: RunDir) -> list[str]:
    """The pods with both labels, such as pod/x-1; raises `RunError` when kubectl is missing, fails or hangs."""
    found = _kubectl(["get", "pods", "-l", pod_labels(run), "-o", "name"], _LIMIT_S)
    return [line.strip() for line in found.splitlines() if line.strip().startswith("pod/")]


def delete_pods(pods: Sequence[str]) -> None:
    """Delete pods by name; raises `RunError` when that fails."""
    if pods:
        _kubectl(["delete", "--ignore-not-found", "--wait=false", *pods], _DELETE_LIMIT_S)


def is_forced() -> bool:
    """Whether the environment says that other people's processes on the GPUs are to be killed."""
    return os.environ.get(FORCE_VARIABLE) == "1"


def gpu_processes() -> list[ProcessRef]:
    """The processes that compute on this machine's GPUs, as far as they are to be seen; none without nvidia-smi."""
    if shutil.which("nvidia-smi") is None:
        return []
    command = ["nvidia-smi", "--query-compute-apps=pid", "--format=csv,noheader"]
    try:
        said = ask_program(command, _LIMIT_S)
    except OSError:
        return []
    pids = {int(line) for line in said.out.split() if line.isdecimal()} if said.worked else set()
    living = [(pid, ticks) for pid in sorted(pids) if (ticks := start_ticks(pid)) is not None]
    return [ProcessRef(_command_of(pid), pid, ticks) for pid, ticks in living]


def run_dir_of(pid: int) -> Path | None:
    """The run directory that a process carries in its environment; None when it is of no run, or gone.

    Raises `PermissionError` where its environment is not to be seen: in a container not even root may see another
    user's, though it may kill.
    """
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError):
        return None
    for entry in environment:
        name, _, value = entry.partition(b"=")
        if name == b"LIVERL_RUN_DIR":
            return Path(os.fsdecode(value))
    return None


def _kubectl(arguments: list[str], limit_s: float) -> str:
    if shutil.which("kubectl") is None:
        raise RunError(
            "clean.no_kubectl",
            "Pods can't be cleaned: kubectl is not installed here.",
            evidence="no kubectl in PATH",
            next_action="install kubectl, or clean without --pods",
        )
    try:
        said = ask_program(["kubectl", f"--request-timeout={limit_s:.0f}s", *arguments], limit_s)
    except OSError as cause:
        raise _kubectl_failed(str(cause)) from None
    if said.status is None:
        raise _kubectl_failed(f"no answer in {limit_s:.0f} s")
    if not said.worked:
        raise _kubectl_failed(said.err.strip() or f"exit status {said.status}")
    return said.out


def _kubectl_failed(evidence: str) -> RunError:
    return RunError(
        "clean.kubectl_failed",
        "kubectl could not tell or delete the run's pods.",
        evidence=mask(evidence)[-400:],
        next_action="kubectl get pods",
    )


def _command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text(errors="replace").strip()
    except OSError:
        return ""
