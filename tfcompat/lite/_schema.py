"""Flatbuffers of TensorFlow Lite, as objects that can be changed."""

from typing import Any

import numpy as np

from tfcompat.lite._errors import needed


def schema() -> Any:
    """The module of the classes that a model consists of."""
    with needed("litert_converter"):
        from litert_converter import schema_py_generated
    return schema_py_generated


def read(data) -> Any:
    """The model in some bytes."""
    model = schema().ModelT.InitFromPackedBuf(bytearray(data), 0)
    for buffer in model.buffers:
        if buffer.offset > 1:  # large ones may lie behind the flatbuffer
            buffer.data = np.frombuffer(data, np.uint8, buffer.size, buffer.offset)
            buffer.offset = buffer.size = 0
    return model


def written(model):
    """The bytes of a model."""
    import flatbuffers

    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def code_of(each):
    """The number of the operation that an entry of `operatorCodes` stands for: old ones hold it in another field."""
    return max(each.builtinCode, each.deprecatedBuiltinCode)


def floating_operations(data):
    """The sorted names of operations in the bytes of a model that give floating numbers, but for conversions."""
    kinds, model, found = schema(), read(data), set()
    names = {code: name for name, code in vars(kinds.BuiltinOperator).items() if type(code) is int}
    for graph in model.subgraphs:
        for op in graph.operators:
            name = names[code_of(model.operatorCodes[op.opcodeIndex])]
            types = {graph.tensors[number].type for number in op.outputs}
            if name != "DEQUANTIZE" and kinds.TensorType.FLOAT32 in types:
                found.add(name)
    return sorted(found)


def finished(data, signatures, input_type, output_type):
    """The model with TensorFlow's names of inputs and results, and with the dtypes that these are to have.

    Args:
      data: bytes.
      signatures: the `_Signature`s that were converted.
      input_type, output_type: NumPy types; uint8 takes the place of int8; None leaves them.
    """
    model = read(data)
    _tell_unknown_sizes(model)
    kept = []
    for definition in model.signatureDefs or ():
        signature = next(s for s in signatures if s.key == definition.signatureKey.decode())
        graph = model.subgraphs[definition.subgraphIndex]
        named = isinstance(signature.name, str)
        for each in definition.inputs:
            name = each.name.decode()
            graph.tensors[each.tensorIndex].name = (f"{signature.key}_{name}:0" if named else name).encode()
        numbers = {each.name.decode(): each.tensorIndex for each in definition.outputs}
        for i, name in enumerate(signature.outputs):
            own = f"StatefulPartitionedCall:{i}" if named else f"Identity_{i}" if i else "Identity"
            graph.tensors[numbers[name]].name = own.encode()
        if input_type is np.uint8:
            _make_unsigned(model, graph, definition.inputs, graph.inputs, at_end=False)
        if output_type is np.uint8:
            _make_unsigned(model, graph, definition.outputs, graph.outputs, at_end=True)
        if named:
            kept.append(definition)
    model.signatureDefs = kept
    return written(model)


def _tell_unknown_sizes(model):
    """Gives the results of conversions the unknown sizes of their inputs: a quantizer has added them without."""
    kinds = schema()
    codes = list(map(code_of, model.operatorCodes))
    for graph in model.subgraphs:
        for op in graph.operators:
            if codes[op.opcodeIndex] in (kinds.BuiltinOperator.QUANTIZE, kinds.BuiltinOperator.DEQUANTIZE):
                graph.tensors[op.outputs[0]].shapeSignature = graph.tensors[op.inputs[0]].shapeSignature


def operator(model, name, options, inputs, output, version=1, **values):
    """A new operator of a model.

    Args:
      model: to whose codes it is added.
      name: of the operation.
      options: name of the class of its options.
      inputs: numbers of tensors; output: that of its result.
      version: of the operation.
      **values: of its options.
    """
    kinds = schema()
    code = getattr(kinds.BuiltinOperator, name)
    codes = list(map(code_of, model.operatorCodes))
    if code not in codes:
        made = kinds.OperatorCodeT()
        made.builtinCode, made.deprecatedBuiltinCode, made.version = code, min(code, 127), version
        model.operatorCodes.append(made)
        codes.append(code)
    op = kinds.OperatorT()
    op.opcodeIndex, op.inputs, op.outputs = codes.index(code), np.array(inputs, np.int32), np.array([output], np.int32)
    op.builtinOptionsType = getattr(kinds.BuiltinOptions, options)
    op.builtinOptions = getattr(kinds, f"{options}T")()
    for attribute, value in values.items():
        setattr(op.builtinOptions, attribute, value)
    return op


def _make_unsigned(model, graph, named, sides, at_end):
    """Puts conversions between int8 and uint8 at the inputs or results of a graph."""
    kinds = schema()
    for each in named:
        inner = graph.tensors[each.tensorIndex]
        if inner.type != kinds.TensorType.INT8:
            continue
        outer, scales = kinds.TensorT(), kinds.QuantizationParametersT()
        outer.name, inner.name = inner.name, inner.name + b"_int8"
        outer.shape, outer.shapeSignature, outer.hasRank = inner.shape, inner.shapeSignature, inner.hasRank
        outer.type, outer.quantization = kinds.TensorType.UINT8, scales
        scales.scale, scales.zeroPoint = inner.quantization.scale, np.asarray(inner.quantization.zeroPoint) + 128
        graph.tensors.append(outer)
        number = len(graph.tensors) - 1
        pair = (each.tensorIndex, number) if at_end else (number, each.tensorIndex)
        op = operator(model, "QUANTIZE", "QuantizeOptions", [pair[0]], pair[1])
        graph.operators = [*graph.operators, op] if at_end else [op, *graph.operators]
        sides[list(sides).index(each.tensorIndex)] = number
        each.tensorIndex = number
