"""From a snapshot of a run to its findings, the first cause first. Pure: nothing here touches the machine.

language, functions  conditions of write-ups: expressions over metrics and facts
writeup, catalogue   the write-ups of troubleshooting/, each the detector of one failure
snapshot             what is known of a run
judge, rank          a write-up against a snapshot; findings with their avalanches folded under them
diagnose, finding    the verdict
"""
