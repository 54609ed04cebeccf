"""LiteLLM's two hooks: who calls, and which gateway the call goes to."""

from __future__ import annotations

from typing import Any

from fastapi import HTTPException, Request
from litellm.integrations.custom_logger import CustomLogger
from litellm.proxy._types import UserAPIKeyAuth
from litellm.types.utils import CallTypes

from liverl.gateway.guard import CALLER


async def authenticate(request: Request, api_key: str) -> UserAPIKeyAuth:
    """LiteLLM's `custom_auth`: the caller that the guard has verified, or 401."""
    caller = CALLER.get(None)
    if caller is None or caller.token != api_key.removeprefix("Bearer "):
        raise HTTPException(status_code=401, detail="no verified credential")
    return UserAPIKeyAuth(api_key=caller.token)


class RouteToGateway(CustomLogger):
    """Sends each call to the gateway that its caller's token names, under that token.

    LiteLLM's pre-call hook is too early for this: an address set there makes its router build a deployment
    of its own for every trial. This one runs when the deployment is chosen, before the address is used; for
    the Messages API it runs twice, before and after the translation to chat completions.
    """

    async def async_pre_call_deployment_hook(
        self, kwargs: dict[str, Any], call_type: CallTypes | None
    ) -> dict[str, Any]:
        """The call's arguments with its upstream address and key; 401 without a verified caller."""
        caller = CALLER.get(None)
        if caller is None:
            raise HTTPException(status_code=401, detail="no verified credential")
        return {**kwargs, "api_base": f"{caller.claim.url}/v1", "api_key": caller.token}


route = RouteToGateway()
