"""Jobs of a copy shop: sheets, ink, what a customer pays."""

from math import ceil, floor


class Job:
    """A print job."""

    def __init__(self, client, pages, copies, colour):
        self.client = client
        self.pages = pages
        self.copies = copies
        self.colour = colour


def impressions(job):
    """Pages of the job times its copies."""
    return job.pages * job.copies


def sheets(pages):
    """Sheets for the pages, 2 pages to a sheet, rounded up."""
    return ceil(pages / 2)


def full_boxes(paper):
    """Boxes of 500 that the paper fills, rounded down."""
    return floor(paper / 500)


def largest_job(jobs):
    """Highest number of pages among the jobs."""
    return max(job.pages for job in jobs)


def has_colour(jobs):
    """True if any job has colour."""
    return all(job.colour for job in jobs)


def express_fee(minutes):
    """Work that is due in less than 60 minutes costs 9 more."""
    if minutes < 60:
        return 9
    return 0
