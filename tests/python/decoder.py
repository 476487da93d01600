"""A small decoder like LLaMA: RMS norms, rotary embeddings, causal attention with fewer key heads, SwiGLU."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

VOCABULARY, WIDTH, HEADS, KEY_HEADS, LAYERS, TOKENS = 61, 32, 4, 2, 2, 13


def _rotated(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    left, right = x.chunk(2, -1)
    return x * cos + torch.cat((-right, left), -1) * sin


class Block(nn.Module):
    contiguous_heads = False  # lay each head out in one piece before what follows
    written_attention = False  # torch_npu's scaled_dot_product_attention fixes sizes

    def __init__(self) -> None:
        super().__init__()
        depth = WIDTH // HEADS
        self.before, self.after = nn.RMSNorm(WIDTH), nn.RMSNorm(WIDTH)
        self.query = nn.Linear(WIDTH, WIDTH, bias=False)
        self.key = nn.Linear(WIDTH, KEY_HEADS * depth, bias=False)
        self.value = nn.Linear(WIDTH, KEY_HEADS * depth, bias=False)
        self.out = nn.Linear(WIDTH, WIDTH, bias=False)
        self.gate = nn.Linear(WIDTH, 2 * WIDTH, bias=False)
        self.up = nn.Linear(WIDTH, 2 * WIDTH, bias=False)
        self.down = nn.Linear(2 * WIDTH, WIDTH, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        y = self.before(x)
        q, k, v = (
            layer(y).unflatten(-1, (heads, -1)).transpose(1, 2)
            for layer, heads in ((self.query, HEADS), (self.key, KEY_HEADS), (self.value, KEY_HEADS))
        )
        if self.contiguous_heads:
            q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        q, k = _rotated(q, cos, sin), _rotated(k, cos, sin)
        k, v = (t.repeat_interleave(HEADS // KEY_HEADS, 1) for t in (k, v))
        if self.written_attention:
            scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
            later = torch.ones(q.shape[2], q.shape[2], dtype=torch.bool, device=q.device).triu(1)
            attended = scores.masked_fill(later, -math.inf).softmax(-1) @ v
        else:
            attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).flatten(2))
        y = self.after(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Decoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = nn.RMSNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        depth = WIDTH // HEADS
        rates = torch.exp(
            torch.arange(0, depth, 2, device=tokens.device).float() * (-math.log(10000) / depth)
        )
        angles = torch.outer(torch.arange(tokens.shape[1], device=tokens.device).float(), rates)
        angles = torch.cat((angles, angles), -1)
        x = self.tokens(tokens)
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        for block in self.blocks:
            x = block(x, cos, sin)
        return self.head(self.norm(x))


def _trained(device: str, dtype: torch.dtype) -> tuple[Decoder, list[float], list[Tensor]]:
    torch.manual_seed(11)
    model = Decoder().to(dtype).to(device)
    text = torch.randint(0, VOCABULARY, (4, TOKENS + 1)).to(device)
    if dtype == torch.float32:
        optimizer: torch.optim.Optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    else:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for _ in range(10):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(text[:, :-1]).flatten(0, 1).float(), text[:, 1:].flatten())
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return model, losses, [p.detach().cpu().float() for p in model.parameters()]


def _greedy(model: Decoder, device: str, count: int) -> list[int]:
    tokens = torch.tensor([[1, 2, 3]]).to(device)
    with torch.no_grad():
        for _ in range(count):
            chosen = model(tokens)[:, -1].float().argmax(-1, keepdim=True)
            tokens = torch.cat((tokens, chosen), 1)
    return tokens[0].tolist()


def _sampled(model: Decoder, device: str, count: int, seed: int) -> tuple[list[int], bool]:
    """Tokens drawn from the ten likeliest, and whether each was one of these."""
    torch.manual_seed(seed)
    tokens = torch.tensor([[1, 2, 3]]).to(device)
    among = True
    with torch.no_grad():
        for _ in range(count):
            best = torch.topk(model(tokens)[:, -1].float() / 0.8, 10, dim=-1)
            chosen = best.indices.gather(1, torch.multinomial(best.values.softmax(-1), 1))
            among = among and bool((best.indices == chosen).any())
            tokens = torch.cat((tokens, chosen), 1)
    return tokens[0].tolist(), among


def check(dtype: str) -> dict[str, Any]:
    """Ten steps of training on both devices, then generation on both from the CPU's parameters."""
    wanted = getattr(torch, dtype)
    on_cpu, expected, parameters = _trained("cpu", wanted)
    _, losses, trained = _trained("npu", wanted)
    differences = [float((a - b).abs().max()) for a, b in zip(trained, parameters, strict=True)]
    on_npu = Decoder().to(wanted)
    on_npu.load_state_dict(on_cpu.state_dict())
    on_npu = on_npu.to("npu")
    tokens = torch.arange(TOKENS)[None]
    with torch.no_grad():
        logits = float((on_npu(tokens.npu()).cpu().float() - on_cpu(tokens).float()).abs().max())
    first, among = _sampled(on_npu, "npu", 8, 5)
    again, _ = _sampled(on_npu, "npu", 8, 5)
    return {
        "losses": losses,
        "expected": expected,
        "parameters": max(differences),
        "logits": logits,
        "greedy": [_greedy(on_npu, "npu", 8), _greedy(on_cpu, "cpu", 8)],
        "sampled": [first, again],
        "among": among,
    }
