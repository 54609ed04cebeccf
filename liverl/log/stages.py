"""The stages of a start, told by the lines that frameworks, engines and Ray write in them.

stage_of   what a run is doing as it writes a line
"""

from __future__ import annotations

import re

# In the order in which a line is tried: what says more comes first. The words go behind "it ends where".
_STAGES: tuple[tuple[str, str], ...] = (
    (
        "somebody is asked to type",
        r"Enter your choice|Paste an API key|\[y/N\]|\(y/n\)|[Pp]assword(?: for .{1,60})?: ?$",
    ),
    (
        "a placement group is waited for",
        r"(?i:placement[ _]groups?\b.{0,60}(?:creat|wait|schedul|ready|pending)"
        r"|(?:creat|wait|pending)\w* .{0,60}placement[ _]group)",
    ),
    (
        "a server is waited for",
        r"(?i:server is not up|wait\w* for .{0,40}\b(?:server|inference pool|endpoint|router|gateway|service)\b"
        r"|(?:server|engine)s? (?:was|were|is|are) not (?:reached|ready|up)"
        r"|wait\w* for .{0,30} to be (?:ready|healthy))",
    ),
    (
        "an engine's core starts",
        r"core engine proc|[Ii]nitializing an? (?:V\d )?LLM engine|[Ww]aiting for init message",
    ),
    (
        "a model is downloaded",
        r"Downloading (?:shards|model|\S+\.(?:safetensors|bin))|Fetching \d+ files|\.safetensors: +\d+%"
        r"|Downloading .{0,60}(?:huggingface|modelscope)",
    ),
    (
        "a data set is downloaded or made",
        r"Downloading (?:data|builder|readme)|Generating \w+ split|Downloading and preparing dataset",
    ),
    (
        "the data set is filtered or tokenized",
        r"Filtering prompts|(?:filter )?dataset len|^Map(?: \(num_proc=\d+\))?:|[Tt]okenizing|Tokeniz\w+ .{0,30}data"
        r"|Size of (?:train|val) dataloader|Applying chat template|Saving the dataset",
    ),
    (
        "the model's weights are loaded",
        r"Loading .{0,24}checkpoint shards|Load(?:ing)? weights? (?:begin|from|took|end)|Starting to load model"
        r"|Loading model (?:from|weights)|Load weight begin|[Ll]oading .{0,40}\.safetensors|Loading weights:",
    ),
    (
        "the engine compiles and captures its graphs",
        r"Captur\w+ (?:CUDA|cuda|npu|batches|cudagraph|ACL|decode|the model)|Registering \d+ cuda graph|torch\.compile"
        r"|Dynamo bytecode|AUTOTUNE|Graph captur|[Cc]ompil\w+ (?:a |the )?graph|Cache the graph|cudagraph dispatching",
    ),
    (
        "the engine measures its memory",
        r"KV cache (?:size|memory)|Maximum concurrency|[Mm]emory profiling|# (?:cuda|GPU|NPU) blocks"
        r"|KV Cache is allocated|Available KV cache|max_total_num_tokens|init engine \(|[Mm]emory pool end",
    ),
    (
        "weights go to the engine",
        r"(?i:update_?weights?\b|weight[ _](?:sync|transfer|broadcast|update)|broadcast\w* .{0,20}weights?"
        r"|param(?:eter)? sync|sync\w* (?:weights|param)|init_communicator|Moving weights|update_named_param)",
    ),
    (
        "the engine sleeps",
        r"(?i:to fall asleep|sleep mode freed|sleep freed|release_memory_occupation)",
    ),
    (
        "NCCL connects the ranks",
        r"NCCL (?:INFO|version|WARN)|is using nccl==|Found nccl from|custom_all_reduce|ProcessGroupNCCL"
        r"|HCCL|RCCL version",
    ),
    (
        "the ranks join their process group",
        r"init_process_group|Initializing TorchBackend|init_distributed|distributed_init_method=|Init torch distributed"
        r"|Rendezvous'ing|elastic_operator|rendezvous|Initializing distributed|process group|GLOBAL_RANK: \d"
        r"|\brank \d+ in world size|world_size=\d+ rank=|torch/distributed/run\.py",
    ),
    (
        "the model is sharded over the ranks",
        r"FSDP|wrap[_ ]policy|DeepSpeed info|DeepSpeedZero|After init (?:from|ref|actor|critic)"
        r"|contains [\d.]+[MB] param|Total steps: \d+, num_warmup|Before building"
        r"|Partition(?:ed|ing) .{0,20}param|num_warmup_steps|Model config after override",
    ),
    (
        "a checkpoint is saved",
        r"(?i:sav(?:ing|ed) (?:model |the )?(?:checkpoint|optimizer|state)|storing distributed optimizer)",
    ),
    (
        "a validation is made",
        r"(?i:\bvalidat(?:ion|ing|e)\b.{0,20}(?:begin|start|generat)|start\w* validat|'validate': True"
        r"|evaluat(?:ing|ion)\b)",
    ),
    (
        "the first step runs",
        r"Timer \w*train start|Train(?:ing)? step|Training Progress|Running training"
        r"|Num (?:examples|Epochs)\b|Total steps =|update_actor|compute_log_prob|Train epoch|actor_train",
    ),
    (
        "a rollout is made",
        r"(?i:generating rollouts?|rollout generation|generat\w+ sequences|processed prompts|starting orchestrator"
        r"|start(?:ed|ing)?:? '?generat|test_gen_batch|gather:|collect\w* (?:rollouts|trajector)|episodes? \[)",
    ),
    (
        "the training's loop begins",
        r"(?i:training from scratch|starting training|start\w* (?:the )?train(?:er|ing)? ?loop|begin\w* training"
        r"|checkpoint tracker file|wandb: (?:syncing|tracking|.{0,4}view)|swanlab: |auto half precision)",
    ),
    (
        "an engine's server is ready",
        r"fired up and ready|Application startup complete|Uvicorn running|Started server process|inference pool ready"
        r"|Waiting for application startup|Route: /",
    ),
    (
        "the environments are made",
        r"(?i:initializing \w*env\b|\d+ games in split|(?:creat|mak|build|start)\w* \d+ (?:env|sandbox|worker)\w*"
        r"|environments? (?:created|ready|started|reset))",
    ),
    (
        "Ray's workers start",
        r"register[_ ]center|\bbind role|colocated worker|Setting ds_accelerator|workers? of the worker process"
        r"|WorkerDict|available_resources_per_node|validate_config|blocking ray\.get",
    ),
    (
        "Ray starts",
        r"[Ss]tarted a local Ray|Connected to Ray|[Cc]onnecting to existing Ray|Ray runtime started"
        r"|Runtime env is setting|ray init kwargs|Using address .{3,60} set in the environment"
        r"|Tailing logs until the job|Ray head node started",
    ),
)  # fmt: skip
_TRIED = tuple((stage, re.compile(pattern)) for stage, pattern in _STAGES)
_LINE_CHARS = 400
# A library warns whenever it is called.
_WARNS = re.compile(r"\w(?:Warning|warning): |warnings\.warn\(")


def stage_of(text: str) -> str:
    """What a run is doing as it writes a line; "" where the line tells no stage."""
    head = text[:_LINE_CHARS]
    if _WARNS.search(head):
        return ""
    return next((stage for stage, pattern in _TRIED if pattern.search(head)), "")
