"""Prescriptions, stock of medicines and the night service of a pharmacy."""

from dataclasses import dataclass


@dataclass
class Medicine:
    """A medicine in the drawer."""

    agent: str
    packs: int
    strength: int
    drawer: int


def strongest(medicines):
    """Highest strength of the medicines."""
    return max(medicine.strength for medicine in medicines)


def packs_left(medicines):
    """Total packs of the medicines."""
    return sum(medicine.packs for medicine in medicines)


def drawers(medicines):
    """Lowest drawer that holds one of the medicines."""
    return min(medicine.drawer for medicine in medicines)


def unavailable(wanted, shelf_agents):
    """Agents wanted but missing from the shelf agents."""
    return [agent for agent in wanted if agent not in shelf_agents]


def is_prescribed(agent, prescription):
    """True if the agent is listed in the prescription."""
    return agent in prescription


def daily_dose(tablets, intakes):
    """Tablets times the intakes."""
    return tablets * intakes


def copayment(price):
    """Patients pay 10 for a price above 100."""
    if price > 100:
        return 20
    return 0


def next_duty(rota, nights):
    """The first nights of the rota."""
    return rota[:nights]
