"""An invertible flow of affine couplings, trained by maximum likelihood: BERT-flow (Li et al. 2020; Dinh et al. 2017).

The flow maps rows to a standard Gaussian. Each coupling permutes the dimensions and splits them into halves a and b.
Then a scales and shifts b: z = (a, b · exp(s(a)) + t(a)). The inverse is exact, and the log-determinant is the sum of
s(a).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from embedviz.core.device import torch_threads
from embedviz.core.space import Float

STEPS = 4
"""Number of couplings, applied one after the other."""
_HIDDEN = 128
_BATCH = 256
_RATE = 1e-3
_DIGITS = 3  # decimals of the training rows: so a space and its multiples train the same flow
_BOUND = 1.0  # largest |s|: a scale lies between 1/e and e, so that no row overflows


@dataclass(frozen=True, eq=False)
class FlowMap:
    """A flow fitted to some rows. Constant dimensions are left out of the flow and become 0.

    Attributes:
        shift, scale: Rows are first standardized: (x − shift) · scale, both (d,). The scale of a constant dimension is
            0.
        live: Indices of the dimensions that vary, (m,).
        orders: The permutation before each coupling, (STEPS, m).
        tensors: The weights of each coupling, by name.
        losses: Loss of each training step: negative log-likelihood per row and dimension, in nats.
    """

    shift: Float
    scale: Float
    live: Any
    orders: Any
    tensors: tuple[dict[str, Float], ...]
    losses: tuple[float, ...] = ()

    def width(self, dimensions: int) -> int:
        """Return the number of dimensions after the flow, which is the same as before."""
        return dimensions

    def apply(self, rows: Float) -> Float:
        """Return the rows mapped by the flow, (n, d). A row of zeros means “no vector”, and stays zeros."""
        import torch

        given = np.asarray(rows, np.float32)
        with np.errstate(invalid="ignore", over="ignore"):
            standard = (given - self.shift) * self.scale
        made = np.zeros_like(given)
        with torch_threads(), torch.inference_mode():
            found, _ = self.forward(torch.from_numpy(np.ascontiguousarray(standard[:, self.live])))
        made[:, self.live] = found.numpy()
        return cast(Float, np.where(np.any(given, axis=1, keepdims=True), made, np.float32(0)))

    def forward(self, rows: Any) -> tuple[Any, Any]:
        """Return standardized rows mapped by the flow, (n, m), and their log-determinants, (n,), as torch tensors."""
        total = rows.new_zeros(len(rows))
        for order, coupling in zip(self.orders, self._couplings, strict=True):
            rows, logs = coupling(rows[:, order.tolist()])
            total = total + logs
        return rows, total

    def inverse(self, rows: Any) -> Any:
        """Return the standardized rows that the flow maps to `rows`, (n, m), as a torch tensor."""
        for order, coupling in zip(self.orders[::-1], self._couplings[::-1], strict=True):
            rows = coupling.inverse(rows)[:, np.argsort(order).tolist()]
        return rows

    @cached_property
    def _couplings(self) -> list[Any]:
        import torch

        found = []
        for tensors in self.tensors:
            coupling = _coupling(len(self.live))
            coupling.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in tensors.items()})
            found.append(coupling.requires_grad_(False))
        return found


def fit_flow(rows: Float, shift: Float, scale: Float, *, steps: int, seed: int) -> FlowMap:
    """Return a flow trained on rows, (n, d). If fewer than two dimensions vary, the flow only standardizes rows.

    Args:
        shift: Mean of each dimension, (d,).
        scale: 1 ÷ standard deviation of each dimension, or 0 if it is constant, (d,).
        steps: Number of training steps of Adam, with batches of 256 rows.
        seed: Seed of permutations, weights and batches.
    """
    import torch

    live = np.flatnonzero(scale > 0)
    if len(live) < 2:
        return FlowMap(shift, scale, live, np.zeros((0, len(live)), np.int64), ())
    random = np.random.default_rng(seed)
    orders = np.stack([random.permutation(len(live)) for _ in range(STEPS)])
    standard = ((np.asarray(rows, np.float32) - shift) * scale)[:, live]
    data = torch.from_numpy(np.ascontiguousarray(np.round(standard, _DIGITS)))
    with torch_threads(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        couplings = [_coupling(len(live)) for _ in range(STEPS)]
        optimizer = torch.optim.Adam([each for one in couplings for each in one.parameters()], lr=_RATE)
        losses = []
        for _ in range(steps):
            chosen = random.choice(len(data), min(_BATCH, len(data)), replace=False)
            z: Any = data[torch.from_numpy(chosen)]
            total: Any = 0.0
            for order, coupling in zip(orders, couplings, strict=True):
                z, logs = coupling(z[:, order.tolist()])
                total = total + logs
            loss: Any = ((z**2).sum(dim=1) / 2 - total).mean() / len(live) + float(np.log(2 * np.pi)) / 2
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(float(loss.detach()))
    tensors = tuple({name: each.detach().numpy() for name, each in one.state_dict().items()} for one in couplings)
    return FlowMap(shift, scale, live, orders, tensors, tuple(losses))


def _coupling(dimensions: int) -> Any:
    """Return a coupling for rows of `dimensions` numbers; before training the coupling is the identity."""
    import torch
    from torch import nn

    half = dimensions // 2

    class Coupling(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            last = nn.Linear(_HIDDEN, 2 * (dimensions - half))
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)
            self.inner = nn.Sequential(nn.Linear(half, _HIDDEN), nn.Tanh(), last)

        def parts(self, given: Any) -> tuple[Any, Any]:
            logs, shifts = self.inner(given).chunk(2, dim=1)
            return _BOUND * torch.tanh(logs), shifts

        def forward(self, rows: Any) -> tuple[Any, Any]:
            given, changed = rows[:, :half], rows[:, half:]
            logs, shifts = self.parts(given)
            return torch.cat([given, changed * logs.exp() + shifts], dim=1), logs.sum(dim=1)

        def inverse(self, rows: Any) -> Any:
            given, changed = rows[:, :half], rows[:, half:]
            logs, shifts = self.parts(given)
            return torch.cat([given, (changed - shifts) * (-logs).exp()], dim=1)

    return Coupling()
