"""Which agent acts in a trial, as Harbor agents; knows nothing about tasks or training."""
