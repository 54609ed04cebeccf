"""Bytes of a log as lines, steps and rows: incremental, bounded, at any size of the file. Nothing here judges.

growing    the complete lines that a file has gained; truncated and replaced files begin anew
index      where the lines and the steps of a log are
scan       the lines around a byte, backwards or forwards
clean      a raw line as a person reads it; which component printed it
fold       noise, and the same line said again, told once
pattern    a regular expression in bounded time
select     the lines that somebody wants
rows       the last rows of a file of one JSON object a line

reader     any file that tells of a run, in one pass: `Told` (told), its steps (series), lines looked for (sighting)
source     the file opened, unpacked, or refused; blocks, segments: its bytes up to whole lines
literals   what a line must hold to match an expression; matcher: thousands of them at once; dull: those never met
scanner    the lines that meet a pattern; seen, sightings, nearby, stamps: what is kept and told of them
forensics  how a log ended, how often it began (beginnings)
formats    the steps of every kind of log and table; names, aliases: metrics by verl's names; settings: the set-up
"""
