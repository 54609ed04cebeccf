"""The MCP server: the verbs of `liverl.operate` as tools, for any MCP client.

server     builds the server: instructions, tools, resources, prompt
reading    the tools that only look
acting     launch, resume, stop and clean: each asks a person first
consent    how that person is asked
resources  a run's summary, log and metrics; the prompt for triage
answers    verbs' results and errors as MCP results
runs       which run is meant, and that it lies where runs are
http       streamable HTTP on loopback, behind a token
"""
