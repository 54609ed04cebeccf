"""Weights reach another process's replica whole, through a file that is gone afterwards."""

from __future__ import annotations

from pathlib import Path

import torch

from liverl.engine.cpu.transfer import FileTransfer


async def test_what_the_master_sends_every_receiver_gets(tmp_path: Path) -> None:
    master, receiver = FileTransfer(is_master=True, root=str(tmp_path)), FileTransfer(root=str(tmp_path))
    metadata = [master.prepare(), receiver.prepare()]
    senders, receivers = FileTransfer.build_topology(1, 1, metadata)
    master.init_process_group(senders["rank"][0], senders["path"][0])
    receiver.init_process_group(receivers["rank"][0], receivers["path"][0])
    weights = {"a": torch.randn(3, 2), "b": torch.randn(4)}
    await master.send_weights(iter(weights.items()))
    received = {name: tensor async for name, tensor in receiver.receive_weights()}
    assert all(torch.equal(received[name], tensor) for name, tensor in weights.items())
    master.finalize()
    assert list(tmp_path.iterdir()) == []
