"""The ops of TensorFlow that `tf.raw_ops` does not compute: families, why, and the way round.

A line is `patterns | reason | way round`. A pattern is a name with `*` for any letters. The first line that fits
counts. Ops that TensorFlow itself refuses to run on CPUs raise what they raise there: those of references, those that
were removed, and those without a kernel. The others are not there.
"""

import fnmatch
import functools

from tfcompat.errors import FailedPreconditionError, InvalidArgumentError, NotFoundError
from tfcompat.raw_ops._definitions import definition, names
from tfcompat.raw_ops._registry import OPS, function_of

FAMILIES = """
InitializeTableFromDataset *Dataset *DatasetV2 *DatasetV3 *DatasetV4 *Iterator* Dataset* ExperimentalDataset* WindowOp GetOptions | datasets are objects | tf.data.Dataset and its methods
GetElementAtIndex DistributedSave CompressElement UncompressElement ComputeBatchSize *MemoryCache *SeedGenerator | datasets are objects | tf.data.Dataset and its methods
*StatsAggregator* *ThreadPoolHandle DummyIterationCounter *DatasetVariant | datasets are objects | tf.data.Dataset and its methods
*Queue* Barrier* RecordInput | queues are objects | tf.queue.FIFOQueue and its relatives
*Reader* | readers fill queues | tf.data.TFRecordDataset, tf.data.TextLineDataset or tf.io.read_file
*Accumulator* | accumulators are queues of gradients | tf.Variable.assign_add under a tf.distribute.Strategy
Stage* Unstage MapStage MapUnstage* MapClear MapIncompleteSize MapPeek MapSize OrderedMap* | staging areas feed devices | tf.data.Dataset.prefetch
Ref* TemporaryVariable DestroyTemporaryVariable | references of TensorFlow 1 | tf.Variable
TensorArray* | arrays of early TensorFlow | tf.TensorArray or the ops TensorArrayV3
CreateSummaryDbWriter | there are no databases of summaries | tf.raw_ops.CreateSummaryFileWriter
Placeholder* *Session* SymbolicGradient | graphs and sessions of TensorFlow 1, outside of which TensorFlow refuses them, too | tf.function and tf.GradientTape
Send Recv | devices that talk to each other | tf.distribute.ReplicaContext.all_reduce and all_gather
PyFunc PyFuncStateless EagerPyFunc | the functions are known to one process by a number | tf.py_function and tf.numpy_function
BoostedTrees* IsBoostedTrees* | kernels of estimators, which TensorFlow no longer has | a library of decision trees
Sdca* | kernels of estimators, which no function of TensorFlow calls any more | a library of linear models, or tf.GradientTape
Collective* Nccl* AllToAll CrossReplicaSum ConfigureDistributedTPU | devices that talk to each other | tf.distribute.ReplicaContext.all_reduce and all_gather
*TPU* Infeed* Outfeed* Prelinearize* WorkerHeartbeat | devices that are no TPUs of TensorFlow | tf.distribute.TPUStrategy
Xla* *Xla* *CooTensor* GetMinibatch* StoreMinibatch* GlobalIterId | lookups of embeddings on TPUs | tf.nn.embedding_lookup
FileSystemSetConfiguration | file systems are Python's | tf.io.gfile
Debug* Copy CopyHost Abort Fact | instruments of TensorFlow's own debugger | tf.debugging
Quantized* Requant* QuantizeV2 Dequantize QuantizeDownAndShrinkRange | there are no tensors of quantized integers | tf.quantization.quantize_and_dequantize_v2
UniformQuantize* UniformDequantize UniformRequantize | there are no tensors of quantized integers | tf.quantization.quantize_and_dequantize_v2
CudnnRNN* | the library's layout of weights and reserved space | tf.raw_ops.CudnnRNNV3 and tf.GradientTape
GenerateBoundingBoxProposals | a kernel for GPUs alone | tf.image.combined_non_max_suppression
DecodeJxl | there is no decoder of JPEG XL | another format, by tf.io.decode_image
QuantizeAndDequantize AdjustContrast AudioSummary RandomCrop TileGrad BatchNormWithGlobalNormalizationGrad Conv3DBackpropFilter Conv3DBackpropInput | removed from TensorFlow | tf.quantization, tf.image, tf.summary or tf.GradientTape
"""  # noqa: E501


def families():
    """List of (patterns, reason, way round, names), the names of TensorFlow's ops that a family has here."""
    left = [name for name in names() if definition(name).is_public and name not in OPS]
    result = []
    for line in FAMILIES.strip().splitlines():
        patterns, reason, way = (part.strip() for part in line.split("|"))
        fitting = [name for name in left if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns.split())]
        left = [name for name in left if name not in fitting]
        result.append((patterns, reason, way, fitting))
    return result


@functools.cache
def _ways():
    return {name: f"{way} ({reason})" for _, reason, way, fitting in families() for name in fitting}


def way_round(name):
    """What to use in place of an op that is not here; None if TensorFlow has no such op."""
    return _ways().get(name)


@functools.cache
def refused_by_tensorflow():
    """Dict of functions, by name, of the ops that TensorFlow itself refuses to run on CPUs, outside of sessions."""
    result = {}
    for name, way in _ways().items():
        known = definition(name)
        is_ref = any(each.is_ref for each in (*known.inputs, *known.results))
        if is_ref or known.removed is not None or not known.has_kernel or name in _OF_SESSIONS:
            result[name] = function_of(known, functools.partial(_refuse, name, way), f"Raises: use {way}.")
    return result


_OF_SESSIONS = {
    "Placeholder": (InvalidArgumentError, "You must feed a value for placeholder tensor"),
    "SymbolicGradient": (NotFoundError, "SymbolicGradient is a function of graphs"),
    "GetSessionHandle": (FailedPreconditionError, "called on null session state"),
    "GetSessionHandleV2": (FailedPreconditionError, "called on null session state"),
    "GetSessionTensor": (FailedPreconditionError, "called on null session state"),
    "DeleteSessionTensor": (FailedPreconditionError, "called on null session state"),
}


def _refuse(name, way, arguments):
    error, reason = _OF_SESSIONS.get(name, (NotFoundError, "Could not find device for node: no kernel for CPUs"))
    raise error(None, None, f"{name}: {reason}; use {way}")
