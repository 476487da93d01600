"""Healthy operator specs made at random; the same seed gives the same spec."""

import random

import yaml

DTYPES = ["float32", "float16", "bfloat16", "int32", "int64", "bool"]
ATTRS = [
    ("bool", False), ("int", 1), ("float", 0.5), ("str", "none"), ("int[]", [1, 2]), ("float[]", [0.5]),
    ("bool", True),
]  # fmt: skip
SHAPES = ["{x}.shape", "{x}.shape[:-1]", "[{x}.shape[0]]", "{x}.shape + [2]", "[1] + {x}.shape", "[3, 4]"]
WORDS = ["scale", "shift", "fold", "merge", "blend", "route", "pack", "sort", "gate", "norm"]


def random_spec(seed: int) -> str:
    """The text of one spec."""
    chance = random.Random(seed)
    names = chance.sample(WORDS, chance.randint(1, 3))
    spec = {
        "version": 1,
        "package": f"healthy_{seed}",
        "ops": [_operator(chance, f"healthy_{seed}::{name}_{index}") for index, name in enumerate(names)],
    }
    return yaml.safe_dump(spec, sort_keys=False, width=100)


def _operator(chance: random.Random, name: str) -> dict:
    dtypes = chance.sample(DTYPES, chance.randint(1, 3))
    inputs = []
    for index in range(chance.randint(1, 3)):
        kind = "required" if index == 0 else chance.choice(["required", "optional"])
        inputs.append(
            {"name": f"x{index}", "param_type": kind, "type": dtypes, "format": ["ND"] * len(dtypes)}
        )
    inputs.sort(key=lambda item: item["param_type"] == "optional")
    operator = {"op": name, "doc": f"{name} of {len(inputs)} inputs", "input_desc": inputs}
    attrs = []
    for index in range(chance.randint(0, 3)):
        kind, default = chance.choice(ATTRS)
        attrs.append({"name": f"a{index}", "param_type": "optional", "type": kind, "default_value": default})
    if attrs:
        operator["attr"] = attrs
    operator["output_desc"] = [
        {"name": f"y{index}", "type": "x0.dtype", "shape": chance.choice(SHAPES).format(x="x0")}
        for index in range(chance.randint(1, 2))
    ]
    if chance.random() < 0.5:
        operator["constraints"] = [{"expr": "x0.ndim >= 1", "message": "x0 must have a dimension"}]
    operator["backward"] = "none"
    words = name.partition("::")[2].split("_")
    operator["kernel"] = [{"aclnn": "aclnnHealthy" + "".join(word.capitalize() for word in words)}]
    return operator


# Elementwise functions: in Python and C++ alike, and their derivatives.
CURVES = [
    ("x0.tanh()", "1 - x0.tanh() * x0.tanh()"),
    ("x0.sigmoid()", "x0.sigmoid() * (1 - x0.sigmoid())"),
    ("x0.sin()", "x0.cos()"),
    ("x0 * x0", "x0 * 2"),
    ("x0.cos()", "-x0.sin()"),
]
FLOATS = ["float32", "float16", "bfloat16"]


def buildable_spec(seed: int) -> str:
    """The text of a spec whose operators can be built, run and differentiated: formulas of ATen."""
    chance = random.Random(seed)
    package = f"buildable_{seed}"
    names = chance.sample(WORDS, 2)
    spec = {
        "version": 1,
        "package": package,
        "ops": [_buildable_operator(chance, f"{package}::{name}") for name in names],
    }
    return yaml.safe_dump(spec, sort_keys=False, width=100)


def _buildable_operator(chance: random.Random, name: str) -> dict:
    dtypes = ["float32", *chance.sample(FLOATS[1:], chance.randint(0, 2))]
    curve, slope = chance.choice(CURVES)
    scaled, added, summed = (chance.random() < 0.5 for _ in range(3))
    formula, gradient, shape = f"({curve})", f"({slope})", "x0.shape"
    inputs = [{"name": "x0", "param_type": "required", "type": dtypes, "format": ["ND"] * len(dtypes)}]
    operator: dict = {"op": name, "doc": f"{name} of {curve}", "input_desc": inputs}
    constraints, backward = [], {}
    if scaled:
        factor = chance.choice([0.5, -2.0, 3.0])
        operator["attr"] = [
            {"name": "factor", "param_type": "optional", "type": "float", "default_value": factor}
        ]
        formula, gradient = f"{formula} * factor", f"{gradient} * factor"
    if added:
        inputs.append({**inputs[0], "name": "x1"})
        constraints.append({"expr": "x1.shape == x0.shape", "message": "x1 must have the shape of x0"})
        formula = f"{formula} + x1"
    incoming = "grad"
    if summed:
        constraints.append({"expr": "x0.ndim >= 1", "message": "x0 must have a dimension"})
        formula, shape, incoming = f"({formula}).sum(-1)", "x0.shape[:-1]", "grad.unsqueeze(-1)"
        backward["x1"] = "grad.unsqueeze(-1).expand_as(x0)"
    else:
        backward["x1"] = "grad"
    backward = {"x0": f"{incoming} * {gradient}", **({"x1": backward["x1"]} if added else {})}
    operator["output_desc"] = [{"name": "y", "type": "x0.dtype", "shape": shape}]
    if constraints:
        operator["constraints"] = constraints
    operator["reference"] = formula
    operator["backward"] = backward
    operator["kernel"] = [{"language": "compose", "formula": formula}]
    return operator
