"""A run as a process group.

processes   what /proc says of a process, its descendants and this host
children    the processes a supervisor starts; they die with it
ending      ends every descendant
guard       ends them when the supervisor itself was killed
journal     run.json, as the supervisor keeps it
ingest      what the data plane wrote, into metrics.jsonl and events.jsonl
retention   which checkpoints and trajectories stay
supervisor  one process an attempt: starts, watches, records, cleans up
launch      a new run directory and its first attempt
resume      one more attempt
stop        asks for the end and waits for it
liveness    what state a run is in, from its directory
roots       where runs were launched
"""
