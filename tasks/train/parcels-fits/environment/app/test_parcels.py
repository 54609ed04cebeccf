"""Tests of parcels.py."""

import unittest

from parcels import Parcel, bulk, fits, fragile, heavy, load, smallest, surcharge, zone_of


class ParcelsTest(unittest.TestCase):
    def van(self):
        return [Parcel("A-1-north", 3, 10, "town"), Parcel("B-22-island", 8, 4, "island")]

    def test_load(self):
        self.assertEqual(load(self.van()), 11)

    def test_bulk(self):
        self.assertEqual(bulk(self.van()), 14)

    def test_heavy(self):
        self.assertEqual(heavy(self.van(), 3), ["B-22-island"])

    def test_fits(self):
        self.assertTrue(fits(self.van()[0], 10))
        self.assertFalse(fits(self.van()[0], 9))

    def test_zone_of(self):
        self.assertEqual(zone_of("A-1-north"), "north")

    def test_surcharge(self):
        self.assertEqual([surcharge(parcel) for parcel in self.van()], [7, 12])

    def test_fragile(self):
        self.assertTrue(fragile("C-3-GLASS"))
        self.assertFalse(fragile("GLASS-3"))

    def test_smallest(self):
        self.assertEqual(smallest(self.van()), "A-1-north")


if __name__ == "__main__":
    unittest.main()
