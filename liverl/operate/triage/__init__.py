"""A model works through a diagnosis with read-only tools; every claim it makes is checked.

ground     what may be cited: lines of the log, metrics by step, trials; whether a citation is true
tools      what the model may look at; nothing that writes
asking     one question to an endpoint, in bounded time
loop       the conversation: bounded in turns, tokens and time
verb       the verb: with a model where there is an endpoint, else the same for a person
"""
