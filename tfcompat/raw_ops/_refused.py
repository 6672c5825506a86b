"""The ops of TensorFlow that `tf.raw_ops` does not have: families, why, and the way round.

A line is `patterns | reason | way round`. A pattern is a name with `*` for any letters. The first line that fits
counts.
"""

import fnmatch
import functools

from tfcompat.raw_ops._definitions import definition, names
from tfcompat.raw_ops._registry import OPS

FAMILIES = """
InitializeTableFromDataset *Dataset *DatasetV2 *DatasetV3 *DatasetV4 *Iterator* Dataset* ExperimentalDataset* WindowOp GetOptions | datasets are objects | tf.data.Dataset and its methods
GetElementAtIndex DistributedSave CompressElement UncompressElement ComputeBatchSize *MemoryCache *SeedGenerator | datasets are objects | tf.data.Dataset and its methods
*StatsAggregator* *ThreadPoolHandle DummyIterationCounter *DatasetVariant | datasets are objects | tf.data.Dataset and its methods
*Queue* Barrier* RecordInput | queues are objects | tf.queue.FIFOQueue and its relatives
*Reader* | readers fill queues | tf.data.TFRecordDataset, tf.data.TextLineDataset or tf.io.read_file
*Accumulator* | accumulators are objects | tf.Variable.assign_add under a tf.distribute.Strategy
Stage* Unstage MapStage MapUnstage* MapClear MapIncompleteSize MapPeek MapSize OrderedMap* | staging areas feed devices | tf.data.Dataset.prefetch
Mutex* ConsumeMutexLock | nothing runs at the same time in a program | threading.Lock
Enter Exit Switch Merge NextIteration LoopCond RefEnter RefExit RefSwitch RefMerge RefNextIteration | dataflow of TensorFlow 1 | tf.cond and tf.while_loop
RefIdentity RefSelect TemporaryVariable DestroyTemporaryVariable | references of TensorFlow 1 | tf.Variable
TensorArray TensorArrayV2 TensorArrayClose TensorArrayCloseV2 TensorArrayConcat TensorArrayConcatV2 TensorArrayGather TensorArrayGatherV2 TensorArrayGrad* TensorArrayPack TensorArrayRead TensorArrayReadV2 TensorArrayScatter TensorArrayScatterV2 TensorArraySize TensorArraySizeV2 TensorArraySplit TensorArraySplitV2 TensorArrayUnpack TensorArrayWrite TensorArrayWriteV2 | arrays of early TensorFlow | tf.TensorArray or the ops TensorArrayV3
Placeholder* Send Recv *Session* SymbolicGradient | graphs and sessions of TensorFlow 1 | tf.function and tf.GradientTape
PyFunc PyFuncStateless EagerPyFunc | the functions are known to one process by a number | tf.py_function and tf.numpy_function
BoostedTrees* IsBoostedTrees* Sdca* | kernels of estimators, which TensorFlow no longer has | a library of decision trees or linear models
KMC2ChainInitialization KmeansPlusPlusInitialization NearestNeighbors | kernels of estimators, which TensorFlow no longer has | tf.math.top_k of distances
Collective* Nccl* AllToAll CrossReplicaSum ConfigureDistributedTPU | devices that talk to each other | tf.distribute.ReplicaContext.all_reduce and all_gather
*TPU* Infeed* Outfeed* Prelinearize* WorkerHeartbeat | devices that are no TPUs of TensorFlow | tf.distribute.TPUStrategy
Xla* *Xla* *CooTensor* GetMinibatch* StoreMinibatch* GlobalIterId | lookups of embeddings on TPUs | tf.nn.embedding_lookup
DeviceIndex FileSystemSetConfiguration DisableCopyOnRead | devices and file systems are Python's | tf.config
Debug* Copy CopyHost Abort Fact | instruments of TensorFlow's own debugger | tf.debugging
Quantized* Requant* QuantizeV2 Dequantize QuantizeDownAndShrinkRange | there are no tensors of quantized integers | tf.quantization.quantize_and_dequantize_v2
UniformQuantize* UniformDequantize UniformRequantize | there are no tensors of quantized integers | tf.quantization.quantize_and_dequantize_v2
QuantizeAndDequantize | a range that is known while tracing | tf.quantization.quantize_and_dequantize_v2
*Summary* ImportEvent | writers of summaries are objects | tf.summary.create_file_writer and tf.summary.scalar, histogram, image, audio, text
Batch Unbatch UnbatchGrad | batches of calls are made by servers | tf.raw_ops.BatchFunction, which runs each call by itself
CudnnRNN* | the library's layout of weights and reserved space | tf.raw_ops.CudnnRNNV3 and tf.GradientTape
RaggedTensorToVariant* RaggedTensorFromVariant CompositeTensorVariant* | there are no tensors of variants | the composite tensors themselves
SparseMatrixOrderingAMD SparseMatrixSparseCholesky | there is no sparse factorization | tf.linalg.cholesky of tf.sparse.to_dense
SparseCrossHashed | hashes with salt | tf.sparse.cross_hashed
GenerateBoundingBoxProposals | a kernel for GPUs alone | tf.image.combined_non_max_suppression
DecodeJxl | there is no decoder of JPEG XL | another format, by tf.io.decode_image
DecodeProtoV2 EncodeProto DecodeJSONExample | there is no protobuf in the package | the classes of your messages in tf.py_function, or tf.train.Example
UnicodeScript | Python has no table of scripts | unicodedata in tf.py_function
Save SaveSlices Restore RestoreSlice MergeV2Checkpoints LoadAndRemapMatrix | early checkpoints, and parts of tensors | tf.raw_ops.SaveV2 and RestoreV2 of whole tensors, or tf.train.load_checkpoint
ImmutableConst | memory shared with a file system of TensorFlow | tf.constant of numpy.memmap
ExtractGlimpse | its windows are off by half a pixel | tf.image.extract_glimpse
AdjustContrast RandomCrop TileGrad BatchNormWithGlobalNormalizationGrad Conv3DBackpropFilter Conv3DBackpropInput | removed from TensorFlow | tf.image.adjust_contrast, tf.image.random_crop or tf.GradientTape
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
