"""onnxruntime-web, WebAssembly under Node.js: a process that is asked line by line."""

import json
import os
import subprocess
from pathlib import Path

from exports.tools import Loaded

SERVER = Path(__file__).with_name("onnx_runtime_web.mjs")
MODULES = Path(os.environ.get("QUENCH_NODE_MODULES", "node_modules"))
_process = None


def versions():
    package = json.loads((MODULES / "onnxruntime-web" / "package.json").read_text())
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip().removeprefix("v")
    return {"onnxruntime-web": package["version"], "node": node}


def ask(question):
    global _process
    if _process is None:
        command = ["node", str(SERVER), str(MODULES)]
        _process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    _process.stdin.write(json.dumps(question) + "\n")
    _process.stdin.flush()
    line = _process.stdout.readline()
    if not line:
        raise RuntimeError("node has ended")
    return json.loads(line)


def load(path, job):
    ask({"load": path})
    return Loaded(lambda batch: ask({"words": batch}))
