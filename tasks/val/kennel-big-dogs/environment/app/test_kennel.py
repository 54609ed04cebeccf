"""Tests of kennel.py."""

import unittest

from kennel import Dog, big_dogs, cage_sign, food_ration, long_stay_gift, stay_price, vet_list


class KennelTest(unittest.TestCase):
    def pack(self):
        return [Dog("Rex", 30, 14, True), Dog("Bella", 12, 3, False)]

    def test_food_ration(self):
        self.assertEqual(food_ration(self.pack()), 42)

    def test_big_dogs(self):
        self.assertEqual(big_dogs(self.pack(), 12), ["Rex"])

    def test_stay_price(self):
        self.assertEqual(stay_price(self.pack()[1], 20), 60)

    def test_long_stay_gift(self):
        self.assertEqual([long_stay_gift(dog) for dog in self.pack()], ["bone", ""])

    def test_cage_sign(self):
        self.assertEqual(cage_sign(self.pack()[1]), "BELLA")

    def test_vet_list(self):
        self.assertEqual([dog.call_name for dog in vet_list(self.pack())], ["Bella"])


if __name__ == "__main__":
    unittest.main()
