"""LiteLLM with a configuration that serves the policy by another name than it is asked for.

`python -m liverl.drill.door --port P --work DIR`, as `liverl.gateway.door`.
"""

from __future__ import annotations

from liverl.gateway import door

OTHER_NAME = "another-policy"


def renamed() -> dict[str, object]:
    """The door's configuration of LiteLLM, the policy renamed in it."""
    config = _made()
    models = config["model_list"]
    assert isinstance(models, list)
    return {**config, "model_list": [{**each, "model_name": OTHER_NAME} for each in models]}


_made = door.litellm_config


if __name__ == "__main__":
    door.litellm_config = renamed
    door.main()
