"""Morning orders of a bakery's regular customers."""


class Order:
    """Rolls and loaves that a customer fetches."""

    def __init__(self, customer, rolls, loaves):
        self.customer = customer
        self.rolls = rolls
        self.loaves = loaves

    def enlarge(self, extra):
        """Add the extra rolls to the order."""
        self.rolls += extra

    def cancel(self, fewer):
        """Subtract the fewer loaves from the order."""
        self.loaves -= fewer


def rolls_to_bake(orders):
    """Total rolls of the orders."""
    return sum(order.rolls for order in orders)


def regulars(orders, guest_book):
    """Customers of the orders that are present in the guest book."""
    return [order.customer for order in orders if order.customer in guest_book]


def tray_price(rolls):
    """A roll costs 35 cents."""
    return rolls * 35


def pickup_list(orders):
    """Customers in ascending order."""
    return sorted((order.customer for order in orders), reverse=True)
