"""One Harbor trial: task → outcome, reward, spans, and who is to blame for a failure."""
