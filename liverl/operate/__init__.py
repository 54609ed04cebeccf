"""The verbs: data in, a typed result out; the only thing that the faces call. Nothing here prints.

answer       what every verb answers with; fitting: within its size
find         which run is meant, and where runs are
profile      config.yaml as it would be used here and now
check        would a run work; passes: the passed checks that a launch refers to
launch       check, confirm, run; planning, provenance: what the supervisor is told
status       how a run is doing (standing), again and again (watch), all of them (listing)
             health booting happenings steps_made under_way validation written
tail         the log of a run; cursor excerpt logfile
trials       which trials there were; show, conversation: one, from its first message to its reward
compare      runs side by side; comparison comparison_text curves difference
stop, resume ends a run cleanly; goes on with it
clean        removes what a dead run has left
archive      every attempt that ended
dataplane    starts a process of the data plane and relays what it prints
policy       makes the small policy; single: one trial, live, before any training
config_show  every value and where it came from; verl's own command
"""
