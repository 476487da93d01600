"""Three ways to the form of a result: Meta, the prototype's InferShape, and what the kernel gives."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from opweld.device import reason
from opweld.errors import OpweldError
from opweld.graph import conversion
from opweld.graph.conversion import Form
from opweld.graph.engine import engine
from opweld.verify.arguments import results_in
from opweld.verify.checks.base import Check, Context
from opweld.verify.verdict import Failure, Skip, Verdict

META, INFER, KERNEL = "Meta", "InferShape", "the kernel"


def require_torchair() -> None:
    """Raises Skip where torchair cannot be used."""
    obstacle = conversion.obstacle()
    if obstacle:
        raise Skip(f"torchair cannot be used: {obstacle}")


def require_convertible(context: Context) -> None:
    """Raises Skip for an operator without a way into torchair's graphs, Failure if its spec says it has."""
    operator = context.operator
    require_torchair()
    if conversion.is_decomposed(operator.overload):
        return
    converter = conversion.registered_converter(operator.overload)
    refusal = conversion.refusal_of(converter)
    if conversion.is_failed_file(refusal):
        raise Failure("converter", f"there is no converter: {refusal}")
    if converter is not None and not refusal and not conversion.is_refusal(converter):
        return
    told = f"there is no converter: {refusal}" if refusal else "there is no converter"
    if converter is None and operator.namespace != "aten":
        told = conversion.automatic_obstacle(operator.overload).partition(". ")[0]
        if not told:
            return
        told = f"there is no converter: {told}"
    if operator.rules is not None and operator.rules.states_converter:
        raise Failure("converter", f"the spec says 'converter: auto', but {told}")
    raise Skip(told)


def check_infershape(context: Context) -> Verdict:
    """All three agree for these sizes; with open sizes InferShape leaves open what it cannot know."""
    operator = context.operator
    require_convertible(context)
    if conversion.is_decomposed(operator.overload):
        raise Skip(
            "decomposed: graphs get other operators in its place, so it has neither converter nor prototype"
        )
    if conversion.is_torchairs(operator.overload):
        raise Skip("its converter and its prototype are torchair's own")
    if operator.schema.is_mutable:
        raise Skip("the operator writes into its arguments: functionalization puts another one into graphs")
    real = [_form(item) for item in results_in(context.eager()) if isinstance(item, Tensor)]
    positional, keywords = context.arguments.make(context.device)
    try:
        asked = engine()
        graph = conversion.convert(operator.overload, positional, keywords)
        told = conversion.inferred(graph, asked)
    except conversion.MetaRefuses as error:
        raise Skip(f"Meta refuses the arguments: {reason(error)}") from error
    except OpweldError as error:
        raise _refused(context, str(error), "") from error
    except Exception as error:  # a converter may raise anything
        raise Failure("converter", f"the converter fails: {reason(error)}") from error
    if operator.depends_on_data():
        return Verdict("the result depends on values: only the number of results was compared")
    _require_agreement(list(graph.meta), told or [], real)
    try:
        graph = conversion.convert(operator.overload, positional, keywords, dynamic=True)
        told = conversion.inferred(graph, asked)
    except OpweldError as error:
        raise _refused(context, str(error), " with open sizes") from error
    except conversion.MetaRefuses as error:  # which is the matter of `symbolic`
        return Verdict(f"not with open sizes: {reason(error)}")
    except Exception as error:  # a converter may raise anything
        raise Failure("converter", f"the converter fails with open sizes: {reason(error)}") from error
    if told is None:
        return Verdict("open sizes: the graph has standard operators, which InferShape was not asked for")
    _require_openness(told, real)
    return Verdict()


def _refused(context: Context, text: str, when: str) -> Failure | Skip:
    if "answers no questions" in text or "not on LD_LIBRARY_PATH" in text:
        return Skip(f"only the software NPU's graph engine can be asked: {text}")
    return Failure(
        "infershape", f"InferShape stands alone{when}: it refuses what Meta and the kernel take: {text}"
    )


def _require_agreement(meta: list[Form], infer: list[Form], real: list[Form]) -> None:
    counts = {META: len(meta), INFER: len(infer), KERNEL: len(real)}
    if len(set(counts.values())) > 1:
        raise Failure("count", _disagreement("the number of results", counts))
    for index, forms in enumerate(zip(meta, infer, real, strict=True)):
        name = f"result {index}" if len(real) > 1 else "the result"
        said = dict(zip((META, INFER, KERNEL), forms, strict=True))
        if len({form.dtype for form in forms}) > 1:
            raise Failure("dtype", _disagreement(f"the dtype of {name}", said))
        if len({form.shape for form in forms}) > 1:
            raise Failure("shape", _disagreement(f"the shape of {name}", said))


def _disagreement(what: str, said: dict[str, Any]) -> str:
    """Says who stands alone."""
    told = {who: str(value) for who, value in said.items()}
    for who, value in told.items():
        others = {other: text for other, text in told.items() if other != who}
        if len(set(others.values())) == 1 and value not in others.values():
            names = " and ".join(others)
            return f"{who} stands alone about {what}: {value}, but {names} say {next(iter(others.values()))}"
    return f"no two agree about {what}: " + ", ".join(f"{who} says {value}" for who, value in told.items())


def _require_openness(infer: list[Form], real: list[Form]) -> None:
    for index, (open_form, form) in enumerate(zip(infer, real, strict=True)):
        name = f"result {index}" if len(real) > 1 else "the result"
        if open_form.dtype != form.dtype or not _can_be(open_form.shape, form.shape):
            raise Failure(
                "shape",
                f"InferShape stands alone about {name} with open sizes: {open_form}, but it is {form}",
            )


def _can_be(graph: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    if graph == (-2,):
        return True
    return len(graph) == len(shape) and all(
        size in (-1, real) for size, real in zip(graph, shape, strict=True)
    )


def _form(tensor: Tensor) -> Form:
    return Form(tensor.dtype, tuple(tensor.shape))


INFERSHAPE = Check(
    "infershape",
    check_infershape,
    cases="all",
    devices=("npu",),
    needs=("outputs", "determinism"),
    call="print({meta_call})",
)
