"""Hosted bots with a trained model: what they may import, and how soon they act."""

import asyncio
import re
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from arena.builds.build import Build
from arena.builds.errors import BuildRefusedError
from arena.builds.manifest import Manifest, Package, read_manifest
from arena.games.encoding import encoding
from arena.match.clock import DEFAULT_TIME_CONTROL
from arena.worker.limits import SandboxLimits
from arena.worker.program import command_of
from tests.worker.confining import outcome
from tests.worker.conftest import MakeProgram

FIRST_ACTION = """
import time
import numpy, onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession("model.onnx", options, ["CPUExecutionProvider"])
logits = session.run(None, {"observation": numpy.zeros((1, SIZE), numpy.float32)})[0]
print(logits.shape, f"{1000 * time.process_time():.0f} ms")
"""
WIDTH = 2_000


def model(inputs: int, outputs: int) -> bytes:
    """A net of random weights with two hidden layers of WIDTH units: 16 MB between these alone."""
    random = np.random.default_rng(1)
    sizes = [inputs, WIDTH, WIDTH, outputs]
    nodes, weights, last = [], [], "observation"
    for layer, (before, after) in enumerate(pairwise(sizes)):
        values = random.standard_normal((before, after), np.float32)
        weights.append(numpy_helper.from_array(values, f"w{layer}"))
        nodes.append(helper.make_node("MatMul", [last, f"w{layer}"], [f"m{layer}"]))
        nodes.append(helper.make_node("Relu", [f"m{layer}"], [f"r{layer}"]))
        last = f"r{layer}"
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("observation", TensorProto.FLOAT, [1, inputs])],
        [helper.make_tensor_value_info(last, TensorProto.FLOAT, [1, outputs])],
        weights,
    )
    opset = [helper.make_opsetid("", 17)]
    written: bytes = helper.make_model(graph, opset_imports=opset, ir_version=8).SerializeToString()
    return written


@pytest.mark.slow
def test_a_model_of_20_mb_is_loaded_and_answers_within_the_time_of_a_turn(
    program: MakeProgram,
) -> None:
    encoded = encoding("bluff", 2)
    data = model(encoded.size, 400)
    assert 18e6 < len(data) < 21e6
    hosted = program(FIRST_ACTION.replace("SIZE", str(encoded.size)))
    (Path(hosted.folder) / "model.onnx").write_bytes(data)
    sentence, printed = asyncio.run(outcome(hosted, limits=SandboxLimits()))
    assert sentence == ""
    found = re.search(r"\(1, 400\) (\d+) ms", printed)
    assert found is not None, printed
    assert int(found[1]) < DEFAULT_TIME_CONTROL.turn_ms


def refused(*packages: Package) -> str:
    build = Build("bot.zip", b"", Manifest(("python", "main.py"), packages=packages))
    with pytest.raises(BuildRefusedError) as error:
        command_of(build)
    return str(error.value)


def test_numpy_and_onnxruntime_are_there_and_what_the_operator_allows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = b'command = ["python", "a.py"]\npackages = ["NumPy>=2,<9", "onnxruntime"]'
    manifest = read_manifest(text, ["a.py"])
    assert manifest.packages == (Package("numpy", ">=2,<9"), Package("onnxruntime"))
    assert command_of(Build("bot.zip", b"", manifest))
    assert refused(Package("scipy")) == (
        f"This arena has no package scipy for bots; it has numpy {version('numpy')}, onnxruntime "
        f"{version('onnxruntime')}. Ask the operator for others."
    )
    monkeypatch.setenv("ARENA_HOSTED_PACKAGES", "SciPy, absent")
    allowed = Manifest(("python", "main.py"), packages=(Package("scipy"),))
    assert command_of(Build("bot.zip", b"", allowed))
    assert "no package absent" in refused(Package("absent"))
    assert refused(Package("numpy", "<1")) == (
        f"The build needs numpy <1; this arena has {version('numpy')}."
    )
    for unclear in ("~=2", ">=1 <3", "==1..2", ">=1.*"):
        assert "names no versions as pip does" in refused(Package("numpy", unclear))


@pytest.mark.parametrize("said", ['"numpy"', '["numpy @ https://x"]', '["a b"]', "[1]", '["x;y"]'])
def test_packages_that_are_no_names_with_versions_are_refused(said: str) -> None:
    with pytest.raises(BuildRefusedError, match="`packages`"):
        read_manifest(f'command = ["python", "a.py"]\npackages = {said}'.encode(), ["a.py"])


def test_a_model_is_valid() -> None:
    onnx.checker.check_model(onnx.load_from_string(model(8, 4)))
