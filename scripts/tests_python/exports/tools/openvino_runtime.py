"""OpenVINO on the CPU, from the ONNX file."""

import numpy
import openvino

from exports.tools import Loaded, versions_of

CORE = openvino.Core()


def versions():
    return versions_of("openvino")


def load(path, job):
    model = CORE.compile_model(CORE.read_model(path), "CPU", {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1})
    request = model.create_infer_request()

    def answers(batch):
        return request.infer({"input_ids": numpy.array(batch, dtype=numpy.int64)})["answers"].tolist()

    return Loaded(answers)
