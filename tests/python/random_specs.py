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
