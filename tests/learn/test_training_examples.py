"""The examples of docs/learn.md run, learn, and write what the bot plays."""

import csv
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from arena.games import make_game
from arena.learn import bot_policy, vector_env
from arena.local.in_process import Contender, play_series
from arena.local.loading import load_bot
from tests.packaging.environments import ROOT, uv_succeeds

TRAIN = ROOT / "examples" / "train"
TINY = ["--updates", "10", "--batch", "16", "--hidden", "8", "--matches", "2"]
TINY += ["--opponents", "random", "--dice", "1", "--evaluations", "2"]


@pytest.fixture
def examples() -> Iterator[None]:
    sys.path.insert(0, str(TRAIN))
    yield
    sys.path.remove(str(TRAIN))
    for name in ("cfr", "export_onnx", "policy_gradient", "sight"):
        sys.modules.pop(name, None)


@pytest.fixture
def python_of_pytorch(tmp_path: Path) -> Path:
    """A Python with this arena, and with PyTorch as Debian has it: the index's needs 5 GB."""
    debian = "/usr/bin/python3"
    asked = "import torch, numpy; print(int(numpy.__version__.split('.')[0]) + 1)"
    found = subprocess.run([debian, "-c", asked], capture_output=True, text=True, check=False)
    if found.returncode:
        assert "CI" not in os.environ, found.stderr
        pytest.skip("PyTorch is not installed: apt-get install python3-torch")
    python = tmp_path / "venv" / "bin" / "python"
    uv_succeeds("venv", "--python", debian, "--system-site-packages", tmp_path / "venv")
    # What was compiled for an older numpy does not load a newer one.
    (tmp_path / "overrides").write_text(f"numpy<{found.stdout}")
    overrides = ("--overrides", tmp_path / "overrides")
    uv_succeeds("pip", "install", "--python", python, *overrides, f"{ROOT}[learn]")
    return python


def trained(train: Callable[[list[str]], object], out: Path, seats: int) -> None:
    """Train for a moment, twice alike, go on, and let the bot play what came of it."""
    nets = []
    for further in ([], [], ["--resume"]):
        train([*TINY, "--seats", str(seats), "--out", str(out), *further])
        with np.load(out / f"net-{seats}.npz") as file:
            nets.append([file[name].tobytes() for name in file.files])
    assert nets[0] == nets[1] != nets[2]
    with (out / f"progress-{seats}.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2
    assert all(0 <= float(row["low"]) <= float(row["high"]) <= 1 for row in rows)
    assert int(rows[-1]["decisions"]) == 10 * 16 * 32
    for name in ("bot.py", "sight.py"):
        shutil.copy(TRAIN / name, out)
    bot = Contender("trained", load_bot(str(out / "bot.py")))
    others = [Contender(f"random {seat}", load_bot("random")) for seat in range(1, seats)]
    game = make_game("bluff", {"dice_per_player": 1})
    for played in play_series(game, [bot, *others], 6, "a bot of a net"):
        assert played.result.faults == (0,) * seats, played.refused
    for played in play_series(make_game("bluff", {}), [bot, *others], 2, "without a net"):
        assert played.result.faults == (0,) * seats, played.refused


@pytest.mark.parametrize("seats", [2, 6])
@pytest.mark.usefixtures("examples")
def test_a_net_is_trained_and_its_bot_plays(tmp_path: Path, seats: int) -> None:
    trained(import_module("policy_gradient").main, tmp_path, seats)


@pytest.mark.parametrize("seats", [2, 6])
@pytest.mark.usefixtures("examples")
def test_the_honest_opponent_plays_as_the_sample_bot(seats: int) -> None:
    env = vector_env("bluff", seats=seats, batch=64, seed=1, history=True)
    env.reset()
    bot = bot_policy(env.encoding, load_bot("honest"))
    random = np.random.default_rng(1)
    sight = import_module("sight").Sight(env.encoding)
    for _ in range(15):
        seen, masks, _ = env.seen
        actions = sight.honest(masks, sight.right(seen), random)
        assert (bot(seen, masks)[np.arange(64), actions] > 0).all()
        env.step(np.where(random.random(64) < 0.5, actions, env.random_actions()))


@pytest.mark.system
def test_a_net_of_pytorch_writes_what_the_same_bot_plays(
    python_of_pytorch: Path, tmp_path: Path
) -> None:
    def train(arguments: list[str]) -> None:
        command = [python_of_pytorch, "policy_gradient_torch.py", *arguments]
        subprocess.run(command, cwd=TRAIN, check=True)

    trained(train, tmp_path, 2)


@pytest.mark.usefixtures("examples")
def test_a_net_as_onnx_gives_the_same_logits(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    net = import_module("policy_gradient").Net([22, 8, 8, 61], random)
    for bias in net.weights[3:]:
        bias[:] = random.normal(size=bias.shape)
    np.savez(tmp_path / "net-2.npz", *net.weights, about="{}")
    import_module("export_onnx").main([str(tmp_path / "net-2.npz")])
    session = onnxruntime.InferenceSession(tmp_path / "net-2.onnx")
    seen = random.random((3, 22), np.float32)
    (logits,) = session.run(None, {"inputs": seen})
    assert np.allclose(logits, net.forward(seen)[0], atol=1e-6)
    assert session.get_modelmeta().custom_metadata_map == {"about": "{}"}


@pytest.mark.usefixtures("examples")
def test_tabular_cfr_comes_nearer_to_an_equilibrium(capsys: pytest.CaptureFixture[str]) -> None:
    import_module("cfr").main(["--iterations", "2", "--matches", "0"])
    shown = capsys.readouterr().out
    assert shown.startswith("4,096 histories")
    # The uniform strategy, with which it begins, has 0.78.
    assert 0 < float(shown.split("NashConv ")[-1]) < 0.7
