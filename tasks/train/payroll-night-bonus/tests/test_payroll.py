"""Tests of payroll.py."""

import unittest

from payroll import (
    Worker,
    base_pay,
    full_time,
    night_bonus,
    overtime,
    payout,
    payslip_name,
    raise_wage,
    top_earner,
    wage_bill,
)


class PayrollTest(unittest.TestCase):
    def staff(self):
        return [Worker("Eli", 170, 20, 2), Worker("Fay", 150, 25), Worker("Gus", 80, 22)]

    def test_overtime(self):
        self.assertEqual(overtime(self.staff()[0]), 10)
        self.assertEqual(overtime(self.staff()[1]), 0)

    def test_base_pay(self):
        self.assertEqual(base_pay(self.staff()[1]), 3750)

    def test_night_bonus(self):
        self.assertEqual(night_bonus(self.staff()[0]), 30)

    def test_payout(self):
        self.assertEqual(payout(1000, 50, 200), 850)

    def test_top_earner(self):
        self.assertEqual(top_earner(self.staff()), "Fay")

    def test_full_time(self):
        self.assertEqual(full_time(self.staff()), ["Eli", "Fay"])

    def test_wage_bill(self):
        self.assertEqual(wage_bill(self.staff()), 3400 + 3750 + 1760)

    def test_payslip_name(self):
        self.assertEqual(payslip_name(self.staff()[0]), "ELI")

    def test_raise_wage(self):
        self.assertEqual(raise_wage(self.staff()[0], 3), 23)


if __name__ == "__main__":
    unittest.main()
