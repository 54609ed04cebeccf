"""Tests of helpdesk.py."""

import unittest

from helpdesk import (
    Ticket,
    any_waiting,
    backlog,
    breached,
    first_reply,
    fresh,
    is_reply,
    latest_tickets,
    most_urgent,
    open_hours,
    owners,
    tag,
)


class HelpdeskTest(unittest.TestCase):
    def queue(self):
        return [Ticket("Login", "Kai", 50, 2), Ticket("Re: VPN", "Lin", 3, 5), Ticket("Printer", "Moe", 10, 1)]

    def test_open_hours(self):
        self.assertEqual(open_hours(self.queue()), 63)

    def test_most_urgent(self):
        self.assertEqual(most_urgent(self.queue()), 5)

    def test_backlog(self):
        self.assertEqual(backlog(self.queue()), 3)

    def test_breached(self):
        self.assertEqual(breached(self.queue(), 10), ["Login"])

    def test_fresh(self):
        self.assertTrue(fresh(self.queue()[1]))
        self.assertFalse(fresh(Ticket("Mail", "Kai", 4, 1)))

    def test_owners(self):
        self.assertEqual(owners(self.queue(), ["Lin"]), ["Kai", "Moe"])

    def test_tag(self):
        self.assertEqual(tag("vpn"), "VPN")

    def test_is_reply(self):
        self.assertTrue(is_reply("Re: VPN"))
        self.assertFalse(is_reply("About Re:"))

    def test_latest_tickets(self):
        self.assertEqual([ticket.owner for ticket in latest_tickets(self.queue(), 2)], ["Lin", "Moe"])

    def test_first_reply(self):
        self.assertEqual(first_reply(["hello", "bye"]), "hello")

    def test_any_waiting(self):
        self.assertTrue(any_waiting(self.queue()))
        self.assertFalse(any_waiting(self.queue()[1:]))


if __name__ == "__main__":
    unittest.main()
