"""The kernel's tables of sockets are read, and the process behind a socket is found."""

from __future__ import annotations

import os

from liverl.preflight.sockets import Socket, holders, parse_sockets, sockets

# Two rows of a /proc/net/tcp: PostgreSQL's port, listening, of user 70; and a connection from port 8002.
TABLE = """\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000    70        0 18563 1 0000000000000000 100
   1: 0100007F:1F42 0100007F:D2E4 01 00000000:00000000 00:00000000 00000000     0        0 91734 1 0000000000000000 20
"""


def test_a_row_tells_port_state_user_and_inode() -> None:
    assert parse_sockets(TABLE) == [Socket(5432, True, 70, 18563), Socket(8002, False, 0, 91734)]


def test_a_cut_table_gives_the_rows_that_are_whole() -> None:
    assert parse_sockets(TABLE[:-60]) == [Socket(5432, True, 70, 18563)]
    assert parse_sockets("") == []


def test_a_listener_of_this_process_is_found(busy_port: int) -> None:
    (row,) = [each for each in sockets() if each.port == busy_port and each.listens]
    assert row.uid == os.geteuid()
    assert holders({row.inode}) == {row.inode: os.getpid()}


def test_a_socket_that_no_visible_process_holds_has_no_holder() -> None:
    assert holders({1}) == {}
    assert holders(set()) == {}
