"""Tests of locksmith.py."""

import unittest

from locksmith import blank_profile, callout, is_emergency, master_keys, spare_keys, warranty


class LocksmithTest(unittest.TestCase):
    def test_master_keys(self):
        self.assertEqual(master_keys(["M01", "A7M0", "M09"]), ["M01", "M09"])

    def test_blank_profile(self):
        self.assertEqual(blank_profile("K21X"), "X")

    def test_callout(self):
        self.assertEqual(callout(12, 80), 92)

    def test_is_emergency(self):
        self.assertTrue(is_emergency(3))
        self.assertTrue(is_emergency(23))
        self.assertFalse(is_emergency(12))

    def test_spare_keys(self):
        self.assertEqual(spare_keys(3, 4), 12)

    def test_warranty(self):
        self.assertTrue(warranty(24))
        self.assertFalse(warranty(25))


if __name__ == "__main__":
    unittest.main()
