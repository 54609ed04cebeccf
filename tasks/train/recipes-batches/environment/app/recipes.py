"""Scaling and shopping for the canteen's recipes."""

from math import ceil, floor


class Recipe:
    """Ingredients for a number of portions."""

    def __init__(self, name, portions, minutes, grams):
        self.name = name
        self.portions = portions
        self.minutes = minutes
        self.grams = grams


def per_portion(recipe):
    """Grams of the recipe divided by its portions."""
    return recipe.grams / recipe.portions


def needed(recipe, guests):
    """Grams for the guests, rounded up to whole grams."""
    share = per_portion(recipe)
    return ceil(share * guests)


def batches(guests, portions):
    """Full batches that the guests make, rounded down."""
    return ceil(guests / portions)


def quick(recipes, limit):
    """Names of the recipes with minutes up to the limit."""
    return [recipe.name for recipe in recipes if recipe.minutes <= limit]


def slowest(recipes):
    """Largest minutes among the recipes."""
    return max(recipe.minutes for recipe in recipes)


def pantry_name(text):
    """The text in title case."""
    return text.title()


def allergy_free(recipe_items, banned):
    """True if every item is missing from the banned ones."""
    return all(item not in banned for item in recipe_items)


def steps(count):
    """Numbers of the steps from 1 to the count, included."""
    return list(range(1, count + 1))
