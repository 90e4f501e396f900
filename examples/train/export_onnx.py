"""Write a net that policy_gradient.py trained as ONNX, for onnxruntime and other programs.

    pip install onnx
    python export_onnx.py trained/net-2.npz

It writes net-2.onnx beside it: from `inputs`, float32[N, I], which sight.py makes of observations,
to `logits`, float32[N, A], with the options of the game as metadata (`about`). Before the softmax,
add what sight.py says of each action and drop illegal ones by the encoding's mask, as bot.py does.
"""

import argparse
from pathlib import Path

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, save_model


def model_of(weights, about):
    """Return the model of a net: its matrices, and then its biases, by layer."""
    depth = len(weights) // 2
    nodes, parameters, last = [], [], "inputs"
    for layer, (matrix, bias) in enumerate(zip(weights[:depth], weights[depth:])):
        names = [f"matrix{layer}", f"bias{layer}"]
        parameters += map(numpy_helper.from_array, (matrix, bias), names)
        output = f"layer{layer}" if layer < depth - 1 else "logits"
        nodes.append(helper.make_node("Gemm", [last, *names], [output]))
        if layer < depth - 1:
            last = f"relu{layer}"
            nodes.append(helper.make_node("Relu", [output], [last]))
    rows = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", size])
        for name, size in (("inputs", len(weights[0])), ("logits", len(weights[-1])))
    ]
    graph = helper.make_graph(nodes, "actor", rows[:1], rows[1:], parameters)
    opset = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=8)
    helper.set_model_props(model, {"about": about})
    return model


def main(arguments=None):
    """Write the model of each file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("nets", nargs="+", type=Path, help="net-SEATS.npz")
    for file in parser.parse_args(arguments).nets:
        with np.load(file) as kept:
            weights = [kept[f"arr_{number}"] for number in range(len(kept.files) - 1)]
            model = model_of(weights, str(kept["about"]))
        checker.check_model(model)
        save_model(model, file.with_suffix(".onnx"))


if __name__ == "__main__":
    main()
