"""Tests of contacts.py."""

import unittest

from contacts import (
    Member,
    cities,
    domain,
    first_name,
    is_swiss,
    mail_key,
    newcomers,
    reachable,
    same_mail,
    veterans,
)


class ContactsTest(unittest.TestCase):
    def club(self):
        return [Member("Uma Roth", "uma@lake.ch", "Thun", 2012), Member("Jo Lang", "", "Bern", 2019),
                Member("Al Graf", "al@hill.de", "Thun", 2015, False)]

    def test_mail_key(self):
        self.assertEqual(mail_key(" Uma@Lake.ch "), "uma@lake.ch")

    def test_same_mail(self):
        self.assertTrue(same_mail("A@b.ch", "a@B.ch"))
        self.assertFalse(same_mail("A@b.ch", "a@c.ch"))

    def test_domain(self):
        self.assertEqual(domain("uma@lake.ch"), "lake.ch")

    def test_first_name(self):
        self.assertEqual(first_name(self.club()[0]), "Uma")

    def test_cities(self):
        self.assertEqual(cities(self.club()), ["Bern", "Thun"])

    def test_veterans(self):
        self.assertEqual(veterans(self.club(), 2015), ["Uma Roth"])

    def test_reachable(self):
        self.assertEqual([reachable(member) for member in self.club()], [True, False, False])

    def test_newcomers(self):
        self.assertEqual([member.joined for member in newcomers(self.club(), 2)], [2015, 2019])

    def test_is_swiss(self):
        self.assertTrue(is_swiss("uma@lake.ch"))
        self.assertFalse(is_swiss("al@hill.de"))


if __name__ == "__main__":
    unittest.main()
