"""The model endpoint a scaffold talks to: sessions, exact tokens, and LiteLLM as the door in front."""
