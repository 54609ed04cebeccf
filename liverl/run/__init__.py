"""A run as a process group.

processes   what /proc says of a process, its descendants and this host
children    the processes a supervisor starts; they die with it
ending      ends every descendant
ends        how an attempt ended, in words and as an exit code
ladder      how an attempt is ended that somebody asked to end
telling     puts on record what the ladder does
writes      writes that a full disk may refuse
saving      whether a checkpoint is being written right now
bootwatch   whether a boot takes longer than its stages may
guard       ends what is left, and archives, when the supervisor itself was killed
journal     run.json, as the supervisor keeps it
ingest      what the data plane wrote, into metrics.jsonl and events.jsonl
retention   which checkpoints and trajectories stay
archives    archives what ended unseen
supervisor  one process an attempt: starts, watches, records, cleans up
launch      a new run directory and its first attempt
signs       the first signs of life of an attempt
resume      one more attempt
stop        asks for the end, waits for it, and looks whether anything is left
belongings  what of a run is there on this machine
leftovers   kills the processes that a dead run left
leavings    what a dead run has left: listed
clean       the same: removed
removal     removes what lies in a run's own places, and nothing else
foreign     pods and processes on GPUs, asked of other programs
liveness    what state a run is in, from its directory
locks       what only one process of a user may do at a time
roots       where runs were launched
"""
