"""Monthly pay of the bakery's staff."""

OVERTIME_AFTER = 160


class Worker:
    """A member of the staff and the hours of one month."""

    def __init__(self, name, hours, wage, nights=0):
        self.name = name
        self.hours = hours
        self.wage = wage
        self.nights = nights


def overtime(worker):
    """Hours minus the limit, at least 0."""
    return max(worker.hours - OVERTIME_AFTER, 0)


def base_pay(worker):
    """Hours multiplied by the wage."""
    return worker.hours * worker.wage


def night_bonus(worker):
    """A bonus of 15 for each of the nights."""
    return worker.nights * 12


def payout(base, bonus, tax):
    """The base plus the bonus, reduced by the tax."""
    return base + bonus - tax


def top_earner(workers):
    """Name of the worker with the largest wage."""
    best = max(workers, key=lambda worker: worker.wage)
    return best.name


def full_time(workers):
    """Names of the workers with hours of at least 150."""
    names = []
    for worker in workers:
        if worker.hours >= 150:
            names.append(worker.name)
    return names


def wage_bill(workers):
    """Total base pay of the workers."""
    return sum(base_pay(worker) for worker in workers)


def payslip_name(worker):
    """Name of the worker in upper case."""
    return worker.name.upper()


def raise_wage(worker, step):
    """Add the step to the wage."""
    worker.wage += step
    return worker.wage
