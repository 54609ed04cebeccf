"""Where a trial runs, as Harbor environments; knows nothing about models."""
