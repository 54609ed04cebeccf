"""The verl command and its plug-ins: agent loop, sampler, CPU platform and replica, all patches."""
