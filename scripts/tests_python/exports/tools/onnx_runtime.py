"""ONNX Runtime on the CPU."""

import numpy
import onnx
import onnxruntime

from exports.tools import Loaded, versions_of


def versions():
    return versions_of("onnxruntime", "onnx")


def load(path, job):
    onnx.checker.check_model(onnx.load(path), full_check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    plain = onnxruntime.SessionOptions()
    plain.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    as_written = onnxruntime.InferenceSession(path, plain, providers=["CPUExecutionProvider"])

    def answers_of(one):
        return lambda batch: one.run(["answers"], {"input_ids": numpy.array(batch, dtype=numpy.int64)})[0].tolist()

    return Loaded(answers_of(session), other_ways=[answers_of(as_written)])
