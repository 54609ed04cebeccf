"""`liverl`: arguments in, text or JSON out; every decision is made in `liverl.operate`.

main        the process's edge: errors and exit codes
arguments   the commands and their options
commands    what each command calls
text        runs and trials as text for a person
findings    what the checks found, as text
settings    a configuration, as text
live        a run as it goes on
exits       exit codes
"""
