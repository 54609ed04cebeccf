"""The verbs: data in, a typed result out; the only thing that the command line calls. Nothing here prints.

find         which run is meant, and where runs are
profile      config.yaml as it would be used here and now
check        what would keep a run from working
planning     a configuration as the supervisor's plan
launch       checks, builds the policy where it is missing, starts a run
status       how a run is doing; watch: again and again
stop, resume ends a run cleanly; goes on with it
trials       which trials there were
show         one trial, from its first message to its reward
dataplane    starts a process of the data plane and relays what it prints
policy       makes the small policy
single       one trial, live, before any training
config_show  every value and where it came from; verl's own command
"""
