"""The title names what has to be mended: of a chain the exception to begin with, of a refusal the field."""

from __future__ import annotations

from pathlib import Path

import pytest

from liverl.operate.diagnose import diagnose_file

HEADER = "Traceback (most recent call last):\n"
DURING = "\nDuring handling of the above exception, another exception occurred:\n\n"
CAUSED = "\nThe above exception was the direct cause of the following exception:\n\n"
BEFORE = "".join(f"a worker says {number} things of its queue\n" for number in range(40))


def frames(*names: str) -> str:
    return "".join(f'  File "/srv/rl/{name}.py", line 8, in {name}\n    call()\n' for name in names)


def raised(exception: str, *names: str) -> str:
    return f"{HEADER}{frames(*names)}{exception}\n"


FIRST = raised("KeyError: 'speed'", "look")
SECOND = raised("ArithmeticError: the table has no row for this car", "main", "look")
THIRD = raised("LookupError: no such table", "main")
WRAPPED = "ray.exceptions.RayTaskError({}): ray::{}.run() (pid=7, ip=10.0.0.1)\n"
DIED = "ray.exceptions.ActorDiedError: The actor died because of an error raised in its creation task, {}\n"


def spoken(who: str, text: str) -> str:
    return "".join(f"{who}{line}\n" for line in text.splitlines())


def title(text: str, tmp_path: Path, before: str = BEFORE) -> str:
    path = tmp_path / "train.log"
    path.write_text(before + text)
    primary = diagnose_file(path).diagnosis.primary
    assert primary is not None
    return primary.title


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (FIRST + CAUSED + SECOND, "KeyError: 'speed' (in look)"),
        (FIRST + DURING + SECOND, "ArithmeticError: the table has no row for this car (in look)"),
        (
            FIRST + DURING + SECOND + CAUSED + THIRD,
            "ArithmeticError: the table has no row for this car (in look)",
        ),
        (FIRST + CAUSED + SECOND + DURING + THIRD, "LookupError: no such table (in main)"),
        (FIRST + DURING + raised("AttributeError: no pool", "main", "close"), "KeyError: 'speed' (in look)"),
        (FIRST + DURING + raised("RuntimeError", "main"), "KeyError: 'speed' (in look)"),
        (FIRST + "\nthe launcher begins again\n" + SECOND, "KeyError: 'speed' (in look)"),
    ],
)
def test_of_a_chain_the_exception_that_ended_the_program_is_told_by_its_cause(
    text: str, told: str, tmp_path: Path
) -> None:
    assert title(text, tmp_path) == told
    for who in ("(TaskRunner pid=7) ", "[rank1]: "):
        assert title(spoken(who, text), tmp_path) == told


def test_what_another_process_says_between_breaks_no_chain(tmp_path: Path) -> None:
    lines = spoken("(TaskRunner pid=7) ", FIRST + DURING + SECOND).splitlines()
    mixed = "\n(WorkerDict pid=9) still here\n".join(lines)
    assert title(mixed, tmp_path) == "ArithmeticError: the table has no row for this car (in look)"


@pytest.mark.parametrize(
    "text",
    [
        HEADER + frames("main") + WRAPPED.format("LookupError", "Runner") + frames("fit")
        + "LookupError: no such table\n",
        HEADER + frames("main") + WRAPPED.format("LookupError", "Runner") + frames("fit")
        + WRAPPED.format("LookupError", "Worker") + frames("step") + "LookupError: no such table\n",
        HEADER + frames("main") + WRAPPED.format("LookupError", "Runner") + frames("look") + "KeyError: 'speed'\n"
        + DURING + "ray::Runner.run() (pid=7, ip=10.0.0.1)\n" + frames("fit") + "LookupError: no such table\n",
        HEADER + frames("main") + DIED.format("ray::Server.__init__() (pid=7, ip=10.0.0.1)") + frames("init")
        + "LookupError: no such table\n",
    ],
)  # fmt: skip
def test_of_a_wrapped_remote_error_the_inner_one_is_told(text: str, tmp_path: Path) -> None:
    assert title(text, tmp_path).partition(" (in ")[0] == "LookupError: no such table"


REFUSED = (
    "pydantic_core._pydantic_core.ValidationError: 2 validation errors for {}\nmotor.cylinders.0\n"
    "  Input should be a valid integer [type=int_type, input_value='x', input_type=str]\n"
    "    For further information visit https://errors.pydantic.dev/2.11/v/int_type\n"
    "wheels\n  Field required [type=missing, input_value={{}}, input_type=dict]\n"
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (HEADER + frames("load") + REFUSED.format("CarConfig"), "(motor.cylinders.0)"),
        (HEADER + frames("load") + REFUSED.format("TrainerConfig"),
         "2 validation errors for TrainerConfig (motor.cylinders.0)"),
        ("omegaconf.errors.ConfigAttributeError: Key 'speed' is not in struct\n    full_key: trainer.car.speed\n"
         "    object_type=dict\n", "Key 'speed' is not in struct (trainer.car.speed)"),
        ("Could not override 'data.speed'.\nTo append to your config use +data.speed=3\nKey 'speed' is not in struct\n"
         "    full_key: data.speed\n", "'data.speed'"),
        ("usage: x.py [-h] [--model M]\ntrain_the_policy.py: error: unrecognized arguments: --sped 3\n",
         "refused: unrecognized arguments: --sped 3"),
    ],
)  # fmt: skip
def test_a_refused_setting_is_told_by_its_key(text: str, told: str, tmp_path: Path) -> None:
    assert told in title(text, tmp_path, "")


def test_brackets_of_a_message_stay(tmp_path: Path) -> None:
    told = title(raised("BufferError: look() is gone", "main"), tmp_path)
    assert told == "BufferError: look() is gone (in main)"
