"""How a log ended, how often it began, what it says of itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from liverl.log.reader import Reader

STEP = "(TaskRunner pid=1) step:{} - actor/grad_norm:0.5 - critic/score/mean:0.5 - timing_s/step:2.0\n"
STEPS = "".join(STEP.format(n) + "(WorkerDict pid=9) compute advantages done\n" * 3 for n in range(1, 13))
TRACE = (
    "Traceback (most recent call last):\n"
    '  File "/srv/verl/trainer/main_ppo.py", line 40, in main\n'
    "    run_ppo(config)\n"
    "{}\n"
)
MAIN = (
    "Traceback (most recent call last):\n"
    '  File "/srv/save.py", line 90, in <module>\n'
    "    main()\n"
    '  File "/srv/save.py", line 70, in main\n'
    "    json.dump(told, file)\n"
    "{}\n"
)
HYDRA = (
    "Error executing job with overrides: ['data.train_files=a']\n"
    + TRACE.format("ValueError: no such group")
    + "\nSet the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.\n"
)
CHILD = (
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n"
    "============================================================\n"
    "train.py FAILED\n"
    "  exitcode  : 1 (pid: 7952)\n"
    "============================================================\n"
)
FINAL = "(TaskRunner pid=1) (\"Final validation metrics: {'val-core/x/acc/mean@1': 0.5}\")\n"
WANDB = "wandb: Synced 5 W&B file(s), 0 media file(s)\nwandb: Find logs at: ./wandb/run-1/logs\n"


def facts(folder: Path, text: str) -> dict[str, Any]:
    path = folder / "console.log"
    path.write_text(text)
    return dict(Reader(path, ()).read().facts)


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        ("", "cut"),
        ("(WorkerDict pid=9) compute log probs\n", "cut"),
        ("(WorkerDict pid=9) compute log pr", "cut"),
        (FINAL, "finished"),
        (WANDB, "finished"),
        ("{'train_runtime': 1398.4, 'train_loss': 0.02}\nadapter saved\n", "finished"),
        ("StatsLogger INFO: Training completes! Total time elapsed 61.2.\n", "finished"),
        (">> All services stopped.\n", "finished"),
        ("Training Progress: 100%|##########| 12/12 [00:24<00:00,  2.00s/it]\n", "finished"),
        (HYDRA, "exception"),
        (HYDRA + WANDB, "exception"),
        (HYDRA + "(WorkerDict pid=9) a late word [repeated 7x across cluster]\n" * 100, "exception"),
        (TRACE.format("RuntimeError: CUDA error: device-side assert triggered"), "exception"),
        (CHILD, "exception"),
        (TRACE.format("ValueError: no such group").replace("\n", "\n[rollout_0] "), "exception"),
        (
            "[launcher] ERROR - Process 2 failed with return code 1\n[launcher] all processes terminated\n",
            "exception",
        ),
        ("bash: line 1: 30211 Killed                  python -m verl\n", "exception"),
        ("ERROR: environment server is unavailable: http://127.0.0.1:36001\n", "exception"),
        (TRACE.format("KeyboardInterrupt"), "stopped"),
        (TRACE.format("KeyboardInterrupt") + HYDRA, "stopped"),
        ("[!] Interrupted. Saving the adapter ...\nsaved\n", "stopped"),
        ("slurmstepd: error: *** STEP 7.0 ON n1 CANCELLED AT 2026-11-21T10:00:00 ***\n", "stopped"),
        ("W1 api.py:719] Received Signals.SIGINT death signal, shutting down workers\n", "stopped"),
        ("Evaluation complete. Results saved to results.json\naccuracy: 0.7\n", "finished"),
        ("Evaluation complete.\n" + "(WorkerDict pid=9) compute log probs\n" * 12, "cut"),
        ("Evaluation finished at step 12\n", "cut"),
        ("All done!\n", "finished"),
        ("[train] done. Wall time: 118.8s\n", "finished"),
        ("2026-04-22 18:34:20,292 INFO === DONE === solved=0.5\n", "finished"),
        ("[queue] ALL STAGES DONE\n", "finished"),
        ("[rank0]:[W830] Warning: destroy_process_group() was not called before program exit\n", "finished"),
        ("the agent says it is done with this\ndata: [DONE]\ntool exit code: 0\n", "cut"),
        ("  3%|2   | 2/60 [00:01<00:30,  1.90it/s]" + MAIN.format("AttributeError: x") + WANDB, "exception"),
        ("2026-11-04 03:12:44 cli.py:64 -- Job 'raysubmit_x1' succeeded\n", "finished"),
        (FINAL + TRACE.format("RuntimeError: cannot schedule new futures after shutdown"), "finished"),
        (FINAL + "Exception ignored in: <function A.__del__>\n" + TRACE.format("TypeError: x"), "finished"),
        (
            "--- Logging error ---\n"
            + TRACE.format("TypeError: not all arguments")
            + "Call stack:\n a\n b\n",
            "cut",
        ),
        (
            "ERROR [otel] Exception while exporting Span.\n" + TRACE.format("KeyError: 'run'") + "a\nb\nc\n",
            "cut",
        ),
        ("(AgentLoopWorker pid=5) " + TRACE.format("ToolError: no") + "a\nb\n" * 40, "cut"),
        (TRACE.format("Exception: The current node timed out during startup."), "exception"),
        (TRACE.format("sqlite3.Error: no such table"), "exception"),
        (TRACE.format("subprocess.TimeoutExpired: Command 'make' timed out after 60 seconds"), "exception"),
        (FINAL + MAIN.format("TypeError: Object of type bool_ is not JSON serializable"), "exception"),
        (FINAL + MAIN.format("TypeError: x").replace("/srv/save.py", "<string>"), "finished"),
        (FINAL + MAIN.format("TypeError: x") + "moving the logs\n" * 5, "finished"),
        (
            FINAL
            + MAIN.format("RuntimeError: DataLoader worker (pid 7) is killed by signal: Killed.").replace(
                "/srv/save.py", "/envs/rl/ray/_private/workers/default_worker.py"
            ),
            "finished",
        ),
        (
            "".join(
                f"(LLMRayActor pid=7) (EngineCore_DP0 pid=9) ERROR 03-09 22:34:11 [core.py:1033] {line}\n"
                for line in TRACE.format(
                    "TypeError: load() got an unexpected keyword argument 'x'"
                ).splitlines()
            )
            + "Copying Ray logs\nTop non-empty logs (source):\nTop non-empty logs (dest):\n",
            "exception",
        ),
        ("SyntaxErrorSyntaxError: : invalid syntaxinvalid syntax\n    ^\n    SyntaxError^\n", "exception"),
    ],
)
def test_how_a_log_ended(tmp_path: Path, ending: str, expected: str) -> None:
    assert facts(tmp_path, "a log\n" + STEPS + ending)["ended"] == expected


def test_a_run_that_went_on_after_an_exception_did_not_end_with_it(tmp_path: Path) -> None:
    assert facts(tmp_path, "a log\n" + HYDRA + STEPS)["ended"] == "cut"


def test_a_run_that_died_in_its_first_step_did_not_finish(tmp_path: Path) -> None:
    bar = "  0%|          | 0/400 [00:{:02}<?, ?it/s]\n"
    died = MAIN.format("RuntimeError: element 0 of tensors does not require grad")
    told = facts(tmp_path, "a log\n" * 30 + bar.format(0) + died + WANDB + bar.format(52) + "\n" * 3)
    assert (told["steps"], told["ended"]) == (0, "exception")


def test_a_server_that_comes_up_behind_an_exception_has_survived_it(tmp_path: Path) -> None:
    died = MAIN.format("KeyError: '/psm_61c0d2ae'")
    ready = "INFO:     Application startup complete.\n"
    survived = facts(tmp_path, "a log\n" * 40 + died + ready)
    assert (survived["served_behind"], survived["ended"]) == (1, "cut")
    lost = facts(tmp_path, "a log\n" * 40 + ready + died)
    assert (lost["served_behind"], lost["ended"]) == (0, "exception")


def test_an_exception_of_a_program_s_own_name_is_one(tmp_path: Path) -> None:
    assert (
        facts(tmp_path, "a log\n" + STEPS + MAIN.format("envs.pool.PoolExhausted: none left"))["ended"]
        == "exception"
    )


def test_a_run_whose_last_step_is_the_last_one_planned_is_finished(tmp_path: Path) -> None:
    told = facts(tmp_path, "Total training steps: 12\n" + STEPS)
    assert (told["steps_total"], told["last_step"], told["ended"]) == (12, 12, "finished")


@pytest.mark.parametrize(
    ("every", "last", "expected"), [(1, 59, "finished"), (5, 55, "finished"), (5, 50, "cut")]
)
def test_of_steps_that_count_from_0_the_last_one_is_one_less(
    tmp_path: Path, every: int, last: int, expected: str
) -> None:
    rows = "".join(f"Step {n}/60 | loss: 0.3 | reward: {n / 60:.2f}\n" for n in range(0, last + 1, every))
    told = facts(tmp_path, "a log\n" * 30 + rows)
    assert (told["steps_total"], told["last_step"], told["ended"]) == (60, last, expected)


def test_a_workers_traceback_of_which_the_run_survived_others_did_not_end_it(tmp_path: Path) -> None:
    def worker(name: str, text: str) -> str:
        lines = TRACE.format(text).splitlines(keepends=True)
        return "".join(f"({name} pid=5) {line}" for line in lines)

    lost, half = worker("AgentLoopWorker", "ToolError: trial {} lost"), len(STEPS) // 2
    early, late = lost.format(3), lost.format(8)
    at = STEPS.index("\n", half) + 1
    assert facts(tmp_path, "a log\n" + STEPS + late)["ended"] == "exception"
    assert facts(tmp_path, "a log\n" + STEPS[:at] + early + STEPS[at:] + late)["ended"] == "cut"
    assert facts(tmp_path, "a log\n" + STEPS[:at] + early + STEPS[at:] + late + HYDRA)["ended"] == "exception"
    early, late = worker("TaskRunner", "ToolError: 3"), worker("TaskRunner", "ValueError: 8")
    assert facts(tmp_path, "a log\n" + STEPS[:at] + early + STEPS[at:] + late)["ended"] == "exception"


def test_an_error_that_was_said_before_is_no_end(tmp_path: Path) -> None:
    said = "ERROR: trial {} was lost\n"
    assert facts(tmp_path, "a log\n" + said.format(4) + STEPS + said.format(9))["ended"] == "cut"


def test_an_end_that_is_announced_over_an_exception_is_told_as_such(tmp_path: Path) -> None:
    told = facts(tmp_path, "a log\n" + STEPS + HYDRA + "Training finished.\n")
    assert (told["ended"], told["finished_said"], told["exception_above"]) == ("exception", 1, 1)
    told = facts(tmp_path, "a log\n" + STEPS + "Training finished.\n")
    assert (told["finished_said"], told["exception_above"]) == (1, 0)
    assert facts(tmp_path, "a log\n" + STEPS + "Training is Over rank 0\n")["finished_said"] == 1


def test_an_end_that_is_said_in_chinese_is_one(tmp_path: Path) -> None:
    told = facts(tmp_path, "a log\n" + STEPS + "训练完成\n✓ 最终模型已保存到: /srv/out\n")
    assert told["ended"] == "finished" and told["finished_said"] == 1


def test_of_an_excerpt_nobody_can_say_how_it_ended(tmp_path: Path) -> None:
    assert "ended" not in facts(tmp_path, STEP.format(1) + HYDRA)


BANNER = "==========\n== CUDA ==\n==========\n\nCUDA Version 12.9\n\nContainer image Copyright (c) X\nStarting at {}\n"


def test_a_program_that_fails_the_same_way_again_and_again_is_a_restart_loop(tmp_path: Path) -> None:
    cycle = BANNER + "fatal: destination path 'repo' already exists and is not an empty directory.\n"
    told = facts(tmp_path, "".join(cycle.format(n) for n in range(12)))
    assert (told["restarts"], told["attempts"]) == (11, 12)


def test_attempts_that_made_steps_are_no_restart_loop(tmp_path: Path) -> None:
    attempt = BANNER.format(1) + STEPS + HYDRA
    told = facts(tmp_path, attempt * 3)
    assert (told["restarts"], told["attempts"]) == (0, 3)


def test_a_warning_that_is_repeated_is_no_restart_loop(tmp_path: Path) -> None:
    told = facts(tmp_path, "12:00:01 WARNING the server is not reachable, failed to connect\n" * 60)
    assert (told["restarts"], told["ended"]) == (0, "cut")


def test_the_wait_for_a_first_step_is_told(tmp_path: Path) -> None:
    bar = "(TaskRunner pid=1) Training Progress:   0%|          | 0/58 [07:16<?, ?it/s]\n"
    told = facts(tmp_path, "a log\n" * 40 + bar)
    assert (told["first_step_wait_s"], told["steps"], told["steps_total"]) == (436, 0, 58)
    assert "first_step_wait_s" not in facts(tmp_path, "a log\n" * 40 + bar + STEPS)


def test_a_validation_before_the_training_is_no_step(tmp_path: Path) -> None:
    told = facts(tmp_path, "a log\n" + "(TaskRunner pid=1) step:0 - val-core/x/acc/mean@1:0.25\n")
    assert told["steps"] == 0
    told = facts(tmp_path, "a log\n" + "step:0 - val-core/x/acc/mean@1:0.25\n" + STEPS)
    assert (told["steps"], told["first_step"], told["step_s"]) == (12, 0, 2.0)
