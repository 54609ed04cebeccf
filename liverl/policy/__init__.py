"""Makes the small local policy: its tokenizer, its chat template, and its warm start by imitation."""
