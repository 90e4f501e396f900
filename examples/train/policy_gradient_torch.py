"""Train as policy_gradient.py does, with nets of PyTorch: any module will do.

    pip install torch
    python policy_gradient_torch.py --seats 2 --minutes 20 --out trained

Change it for other layers or a GPU. It writes the same files, so bot.py needs no PyTorch.
"""

from itertools import pairwise

import policy_gradient
import torch
from torch import nn

torch.set_num_threads(1)  # layers this small are faster without threads


class TorchNet:
    """A net of two hidden layers with ReLU, improved by Adam."""

    def __init__(self, sizes, random):
        torch.manual_seed(int(random.integers(2**31)))
        linear = [nn.Linear(inputs, outputs) for inputs, outputs in pairwise(sizes)]
        with torch.no_grad():
            linear[-1].weight *= 0.01
        first, *others = linear
        self.module = nn.Sequential(first, *(part for one in others for part in (nn.ReLU(), one)))
        self.adam = torch.optim.Adam(self.module.parameters())
        # These arrays share the parameters' memory, so they are always up to date.
        self.weights = [one.weight.detach().numpy().T for one in linear]
        self.weights += [one.bias.detach().numpy() for one in linear]

    def forward(self, inputs):
        """Return the outputs, as an array and as the tensor that `learn` needs."""
        outputs = self.module(torch.from_numpy(inputs))
        return outputs.detach().numpy(), outputs

    def learn(self, outputs, slope, rate):
        """Improve the parameters, given the slope of the loss by the outputs."""
        self.adam.param_groups[0]["lr"] = rate
        self.adam.zero_grad()
        outputs.backward(torch.from_numpy(slope))
        self.adam.step()


if __name__ == "__main__":
    policy_gradient.Net = TorchNet
    policy_gradient.main()
