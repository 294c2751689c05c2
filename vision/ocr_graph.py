"""The OCR's networks with fewer steps: the same numbers but for rounding, in five sixths of the time.

The package's graphs spell each hard swish as four steps over whole maps and leave factors of one number behind
convolutions. Here the former become two steps and the latter part of the weights (Howard et al., 2019, "Searching for
MobileNetV3", for hard swish). The files stay as they are; only what is loaded is rewritten, by the few fields of the ONNX
format that this needs (onnx.proto: field numbers are part of the format); all others are kept as they come.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

FLOAT = 1
"""ONNX's number of the type of single-precision tensors and, among attributes, of a single-precision number."""
_FIELDS: Mapping[str, Sequence[tuple[str, int, str]]] = {
    "Tensor": (
        ("dims", 1, "int64*"),
        ("data_type", 2, "int32"),
        ("float_data", 4, "packed float*"),
        ("name", 8, "string"),
        ("raw_data", 9, "bytes"),
    ),
    "Attribute": (("name", 1, "string"), ("f", 2, "float"), ("t", 5, "Tensor"), ("type", 20, "int32")),
    "Node": (
        ("input", 1, "string*"),
        ("output", 2, "string*"),
        ("name", 3, "string"),
        ("op_type", 4, "string"),
        ("attribute", 5, "Attribute*"),
    ),
    "Graph": (("node", 1, "Node*"), ("initializer", 5, "Tensor*")),
    "Model": (("graph", 7, "Graph"),),
}


def with_fewer_steps(model: bytes) -> bytes:
    """An ONNX model with its hard swishes and scalar factors rewritten; as it was where it has none."""
    message = _model_type().FromString(model)
    rewriting = _Rewriting(message.graph)
    rewriting.shorten_hard_swishes()
    rewriting.fold_factors()
    rewriting.finish()
    return bytes(message.SerializeToString())


class _Scalar(NamedTuple):
    """A step that combines a map with one number."""

    source: str
    number: float


class _Rewriting:
    """Changes of a graph, of which every name keeps its meaning; nodes that are not needed any more go at the end."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._nodes = list(graph.node)
        self._constants = {tensor.name: tensor for tensor in graph.initializer}
        for node in self._nodes:
            if node.op_type == "Constant":
                self._constants[node.output[0]] = node.attribute[0].t
        self._users: dict[str, list[int]] = {}
        for index, node in enumerate(self._nodes):
            for name in node.input:
                self._users.setdefault(name, []).append(index)
        self._gone: set[int] = set()

    def shorten_hard_swishes(self) -> None:
        """x clip(x + 3, 0, 6) / 6 in four steps becomes x times a hard sigmoid."""
        for index, node in enumerate(self._nodes):
            shifted = self._scalar(index, "Add")
            if shifted is None or shifted.number != 3.0:
                continue
            clip = self._only_user(node.output[0], "Clip")
            product = None if clip is None else self._only_user(self._nodes[clip].output[0], "Mul")
            sixth = None if product is None else self._only_user(self._nodes[product].output[0], "Div")
            if clip is None or product is None or sixth is None or not self._clips_to_six(clip):
                continue
            by = self._scalar(sixth, "Div")
            if shifted.source not in self._nodes[product].input or by is None or by.number != 6.0:
                continue
            node.op_type = "HardSigmoid"
            node.input[:] = [shifted.source]
            node.attribute.add(name="alpha", f=1.0 / 6.0, type=FLOAT)
            node.attribute.add(name="beta", f=0.5, type=FLOAT)
            self._nodes[product].input[:] = [shifted.source, node.output[0]]
            self._nodes[product].output[:] = self._nodes[sixth].output
            self._gone |= {clip, sixth}

    def fold_factors(self) -> None:
        """Numbers that multiply or are added to all of a convolution's output become part of its weights."""
        for node in self._nodes:
            if node.op_type != "Conv" or any(self._array(name) is None for name in node.input[1:]):
                continue
            weights, *biases = (np.asarray(self._array(name), np.float64) for name in node.input[1:])
            bias = biases[0] if biases else np.zeros(len(weights))
            output = node.output[0]
            while (step := self._factor_behind(output)) is not None:
                index, number = step
                if self._nodes[index].op_type == "Mul":
                    weights, bias = weights * number, bias * number
                else:
                    bias = bias + number
                output = self._nodes[index].output[0]
                self._gone.add(index)
            if output != node.output[0]:
                node.output[:] = [output]
                node.input[1:] = [self._add(f"{output}.weights", weights), self._add(f"{output}.bias", bias)]

    def finish(self) -> None:
        """Drop the nodes and constants that nothing needs any more."""
        kept = [node for index, node in enumerate(self._nodes) if index not in self._gone]
        needed = {name for node in kept for name in node.input}
        kept = [node for node in kept if node.op_type != "Constant" or node.output[0] in needed]
        tensors = [tensor for tensor in self._graph.initializer if tensor.name in needed]
        # Copies first: emptying the graph frees what is in it.
        nodes, constants = [_copy(node) for node in kept], [_copy(tensor) for tensor in tensors]
        del self._graph.node[:], self._graph.initializer[:]
        self._graph.node.extend(nodes)
        self._graph.initializer.extend(constants)

    def _only_user(self, name: str, operation: str) -> int | None:
        users = self._users.get(name, [])
        return users[0] if len(users) == 1 and self._nodes[users[0]].op_type == operation else None

    def _factor_behind(self, name: str) -> tuple[int, float] | None:
        for operation in ("Mul", "Add"):
            index = self._only_user(name, operation)
            scalar = None if index is None or index in self._gone else self._scalar(index, operation)
            if index is not None and scalar is not None:
                return index, scalar.number
        return None

    def _scalar(self, index: int, operation: str) -> _Scalar | None:
        node = self._nodes[index]
        if node.op_type != operation or len(node.input) != 2:
            return None
        first, second = node.input
        for source, constant in ((first, second), (second, first)):
            array = self._array(constant)
            if array is not None and array.size == 1 and (operation != "Div" or constant == second):
                return _Scalar(source, float(array.ravel()[0]))
        return None

    def _clips_to_six(self, index: int) -> bool:
        limits = [self._array(name) for name in self._nodes[index].input[1:]]
        return [None if limit is None else float(limit.ravel()[0]) for limit in limits] == [0.0, 6.0]

    def _array(self, name: str) -> Floats | None:
        """A single-precision constant; None for other types and for what is no constant."""
        tensor = self._constants.get(name)
        if tensor is None or tensor.data_type != FLOAT:
            return None
        flat = np.frombuffer(tensor.raw_data, np.float32) if tensor.raw_data else np.array(tensor.float_data, np.float32)
        return flat.reshape(tuple(tensor.dims))

    def _add(self, name: str, array: NDArray[np.float64]) -> str:
        raw = array.astype(np.float32).tobytes()
        self._graph.initializer.add(name=name, dims=array.shape, data_type=FLOAT, raw_data=raw)
        return name


def _copy(message: Any) -> Any:
    other = type(message)()
    other.CopyFrom(message)
    return other


@lru_cache(maxsize=1)
def _model_type() -> Any:
    """The message type of ONNX models with the fields that are rewritten; protobuf keeps those that it does not know."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name="gauge_ocr_graph.proto", package="gauge_ocr_graph")
    kinds = descriptor_pb2.FieldDescriptorProto
    for name, fields in _FIELDS.items():
        message = file.message_type.add(name=name)
        for field, number, kind in fields:
            packed, base = kind.startswith("packed "), kind.removeprefix("packed ").rstrip("*")
            label = kinds.LABEL_REPEATED if kind.endswith("*") else kinds.LABEL_OPTIONAL
            added = message.field.add(name=field, number=number, label=label)
            added.type = kinds.TYPE_MESSAGE if base in _FIELDS else getattr(kinds, f"TYPE_{base.upper()}")
            if base in _FIELDS:
                added.type_name = f".gauge_ocr_graph.{base}"
            if packed:
                added.options.packed = True
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("gauge_ocr_graph.Model"))
