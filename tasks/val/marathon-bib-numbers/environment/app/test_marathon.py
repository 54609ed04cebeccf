"""Tests of marathon.py."""

import unittest

from marathon import (
    bib_numbers,
    certificate,
    did_not_finish,
    fastest_split,
    finish_time,
    podium,
    within_cutoff,
)


class MarathonTest(unittest.TestCase):
    def test_finish_time(self):
        self.assertEqual(finish_time(9000, 1000), 8000)

    def test_podium(self):
        self.assertEqual(podium(["Zoe", "Ian", "Lea", "Tom"], 3), ["Zoe", "Ian", "Lea"])

    def test_within_cutoff(self):
        self.assertTrue(within_cutoff(300, 300))
        self.assertFalse(within_cutoff(301, 300))

    def test_bib_numbers(self):
        self.assertEqual(bib_numbers(5, 8), [5, 6, 7, 8])

    def test_did_not_finish(self):
        self.assertEqual(did_not_finish(["Zoe", "Ian"], ["Zoe"]), ["Ian"])

    def test_fastest_split(self):
        self.assertEqual(fastest_split([310, 295, 330]), 295)

    def test_certificate(self):
        self.assertEqual(certificate("zoe van dam"), "Zoe Van Dam")


if __name__ == "__main__":
    unittest.main()
