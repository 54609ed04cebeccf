"""Tests of library.py."""

import unittest

from library import Loan, fine, may_borrow, next_title, returned, shelf_mark, titles, waiting


class LibraryTest(unittest.TestCase):
    def loans(self):
        return [Loan("Emma", "Pat", 10), Loan("Dune", "Pat", 40), Loan("Ivanhoe", "Sam", 12)]

    def test_due(self):
        self.assertEqual(Loan("Emma", "Pat", 10).due(), 38)

    def test_is_late(self):
        self.assertFalse(Loan("Emma", "Pat", 10).is_late(38))
        self.assertTrue(Loan("Emma", "Pat", 10).is_late(39))

    def test_fine(self):
        self.assertEqual(fine(4, 2), 8)
        self.assertEqual(fine(40, 2), 20)

    def test_titles(self):
        self.assertEqual(titles(self.loans(), "Pat"), ["Dune", "Emma"])

    def test_next_title(self):
        self.assertEqual(next_title(["Emma", "Dune"]), "Emma")
        self.assertIsNone(next_title([]))

    def test_shelf_mark(self):
        self.assertEqual(shelf_mark("Austen"), "AUS")

    def test_returned(self):
        self.assertEqual([loan.title for loan in returned(self.loans(), "Dune")], ["Emma", "Ivanhoe"])

    def test_waiting(self):
        self.assertEqual(waiting(["a", "b", "c"]), 2)

    def test_may_borrow(self):
        self.assertTrue(may_borrow(4, 0))
        self.assertFalse(may_borrow(5, 0))


if __name__ == "__main__":
    unittest.main()
