"""Bytes of a log as lines, steps and rows: incremental, bounded, at any size of the file. Nothing here judges.

growing   the complete lines that a file has gained; truncated and replaced files begin anew
index     where the lines and the steps of a log are
scan      the lines around a byte, backwards or forwards
clean     a raw line as a person reads it; which component printed it
fold      noise, and the same line said again, told once
pattern   a regular expression in bounded time
select    the lines that somebody wants
rows      the last rows of a file of one JSON object a line
"""
