#!/usr/bin/env python3
"""Times dense attention beside its peers, in the same run and interleaved: PyTorch, ONNX Runtime and OpenBLAS, each
where it is installed (none is needed to build or use Quench).

  cmake --preset bench && cmake --build build/bench --target attention_server
  scripts/bench_peers.py --json peers.json --markdown peers.md

One head, float32, batch 1. With one thread the figures are processor time, with more wall-clock time. Each is the median
of the repetitions; in each repetition every peer runs once, one after the other, for about --slice milliseconds, after one
run that does not count.
"""
import argparse
import json
import os
import platform
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SERVER = ROOT / "build/bench/bench/attention_server"


def median(values):
    values = sorted(values)
    return values[len(values) // 2]


def commit():
    try:
        text = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True,
                              check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return text.strip()


def cpu_flags():
    match = re.search(r"flags\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())
    return match.group(1).split() if match else []


def machine():
    text = Path("/proc/cpuinfo").read_text()
    name = re.search(r"model name\s*:\s*(.*)", text)
    simd = next((s for s in ("avx512f", "avx2", "sse4_2") if s in cpu_flags()), "")
    return f"{name.group(1).strip() if name else platform.machine()}, {os.cpu_count()} cores, {simd}"


def prepare_environment(threads):
    """What OpenBLAS and the allocator read at the start: sets it and starts this script anew."""
    wanted = {
        # OpenBLAS's threads spin after a call, on a core that the next peer needs: as short as it allows.
        "OPENBLAS_THREAD_TIMEOUT": "4",
        "OPENBLAS_NUM_THREADS": str(threads),
        # Memory stays with the process: PyTorch 1.13 takes 1.6 times as long if every n × n matrix comes fresh from the
        # system.
        "MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}
    # OpenBLAS takes the slowest kernels for processors it does not know; say what this one can do.
    core = "SkylakeX" if "avx512f" in cpu_flags() else "Haswell" if "avx2" in cpu_flags() else None
    if core:
        wanted["OPENBLAS_CORETYPE"] = core
    missing = {name: value for name, value in wanted.items() if name not in os.environ}
    if missing:
        os.execve(sys.executable, [sys.executable] + sys.argv, {**os.environ, **missing})


class Server:
    """Our kernel and OpenBLAS, both behind bench/attention_server.cpp."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.blas = self.ask("hello")

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def time(self, what, n, d, mask, threads, count):
        wall, cpu = map(float, self.ask(f"{what} {n} {d} {mask} {threads} {count}").split())
        return cpu if threads == 1 else wall


def time_calls(call, threads, count):
    clock = time.process_time if threads == 1 else time.perf_counter
    before = clock()
    for _ in range(count):
        call()
    return (clock() - before) / count


class Torch:
    """Its own attention, or where it has none, or that is asked for, products and an explicit softmax."""

    def __init__(self, explicit=False):
        import torch
        self.torch = torch
        self.sdpa = None if explicit else getattr(torch.nn.functional, "scaled_dot_product_attention", None)
        path = "explicit softmax"
        if self.sdpa:
            path = "scaled_dot_product_attention"
            try:
                q = torch.rand(1, 1, 1024, 64)
                chosen = torch._fused_sdp_choice(q, q, q, is_causal=True)
                path += f", {torch.nn.attention.SDPBackend(chosen).name.lower()} path"
            except (AttributeError, ValueError, RuntimeError):
                pass
        capability = re.search(r"CPU capability usage: (\w+)", torch.__config__.show())
        self.name = ", ".join([f"PyTorch {torch.__version__}", path] + ([capability.group(1)] if capability else []))

    def attend(self, q, k, v, mask):
        """`mask` is added to the scores, or None."""
        if self.sdpa:
            return self.sdpa(q, k, v, is_causal=mask is not None)
        scores = (q * q.shape[-1] ** -0.5) @ k.T
        if mask is not None:
            scores.add_(mask)
        return scores.softmax(-1) @ v

    def case(self, what, n, d, mask, threads):
        torch = self.torch
        shape = (1, 1, n, d) if self.sdpa else (n, d)
        q, k, v, g = (torch.rand(shape) * 2 - 1 for _ in range(4))
        mask = torch.full((n, 1 if self.sdpa else n), float("-inf")).triu(1) if mask == "causal" else None

        def forward():
            with torch.no_grad():
                self.attend(q, k, v, mask)

        inputs = [x.clone().requires_grad_() for x in (q, k, v)]

        def both():
            torch.autograd.grad(self.attend(*inputs, mask), inputs, g)

        call = forward if what == "forward" else both

        def run(count):
            torch.set_num_threads(threads)
            return time_calls(call, threads, count)
        return run


class OnnxRuntime:
    """Forward only. Of several graphs for the same thing, whichever is fastest for the shape."""

    def __init__(self):
        import numpy
        import onnx
        import onnxruntime
        onnxruntime.set_default_logger_severity(4)
        self.numpy, self.onnx, self.runtime = numpy, onnx, onnxruntime
        self.chosen = {}
        self.name = f"ONNX Runtime {onnxruntime.__version__}, CPU"

    def graphs(self, n, mask):
        node = self.onnx.helper.make_node
        causal = mask == "causal"
        own = [("", 17), ("com.microsoft", 1)]
        yield ("MultiHeadAttention", own,
               [node("MultiHeadAttention", list("qkv"), ["o"], domain="com.microsoft", num_heads=1,
                     unidirectional=int(causal))])
        yield ("Attention-23", [("", 23)],
               [node("Attention", list("qkv"), ["o"], is_causal=int(causal), q_num_heads=1, kv_num_heads=1)])
        if n > 8192:
            return  # the graph below would hold n × n numbers, and as many for the mask
        masked = [node("Add", ["s", "mask"], ["m"])] if causal else []
        yield ("MatMul-Softmax-MatMul", [("", 17)],
               [node("Transpose", ["k"], ["t"], perm=[0, 2, 1]), node("Mul", ["q", "scale"], ["u"]),
                node("MatMul", ["u", "t"], ["s"]), *masked,
                node("Softmax", ["m" if causal else "s"], ["p"], axis=-1), node("MatMul", ["p", "v"], ["o"])])

    def session(self, nodes, opsets, n, d, threads):
        helper, numpy = self.onnx.helper, self.numpy
        info = lambda name: helper.make_tensor_value_info(name, self.onnx.TensorProto.FLOAT, [1, n, d])
        used = {name for node in nodes for name in node.input}
        constants = []
        if "scale" in used:
            constants.append(self.onnx.numpy_helper.from_array(numpy.array(d ** -0.5, numpy.float32), "scale"))
        if "mask" in used:
            upper = numpy.triu(numpy.full((n, n), -numpy.inf, numpy.float32), 1)
            constants.append(self.onnx.numpy_helper.from_array(upper, "mask"))
        graph = helper.make_graph(nodes, "attention", [info(x) for x in "qkv"], [info("o")], constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid(*opset) for opset in opsets], ir_version=10)
        options = self.runtime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        options.add_session_config_entry("session.force_spinning_stop", "1")
        return self.runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])

    def case(self, what, n, d, mask, threads):
        if what != "forward":
            return None
        random = self.numpy.random.default_rng(1)
        feed = {x: random.uniform(-1, 1, (1, n, d)).astype(self.numpy.float32) for x in "qkv"}
        best = None
        for name, opsets, nodes in self.graphs(n, mask):
            try:
                session = self.session(nodes, opsets, n, d, threads)
                call = lambda session=session: session.run(None, feed)
                call()
                took = min(time_calls(call, threads, 1) for _ in range(3))
            except Exception:  # an operator this version does not have
                continue
            if best is None or took < best[0]:
                best = (took, call)
                self.chosen[mask] = name
        return best and (lambda count: time_calls(best[1], threads, count))


def peers(server, explicit):
    found = {"ours": None}
    for name, make in (("torch", lambda: Torch(explicit)), ("onnxruntime", OnnxRuntime)):
        try:
            found[name] = make()
        except ImportError as error:
            print(f"{name}: not measured ({error})", file=sys.stderr)
    if server.blas != "none":
        found["openblas"] = None
    return found


def cases(server, found, what, n, d, mask, threads):
    """Peer → function that runs it `count` times and returns seconds per run."""
    result = {"ours": lambda count: server.time(what, n, d, mask, threads, count)}
    for name in ("torch", "onnxruntime"):
        if name in found:
            result[name] = found[name].case(what, n, d, mask, threads)
    if "openblas" in found and mask == "full" and what == "forward":
        result["openblas"] = lambda count: server.time("blas", n, d, mask, threads, count)
    if "openblas" in found and d == 64 and what == "forward":
        result["sgemm"] = lambda count: server.time("sgemm", 2048, 0, "full", threads, count)
    return {name: run for name, run in result.items() if run}


def measure_row(server, found, what, n, d, mask, threads, options):
    runs = cases(server, found, what, n, d, mask, threads)
    counts = {name: max(1, round(options.slice / 1000 / max(run(1), run(1)))) for name, run in runs.items()}
    times = {name: [] for name in runs}
    for _ in range(options.repetitions):
        for name, run in runs.items():
            if threads > 1:
                time.sleep(0.01)  # lets the other peers' threads stop spinning
            run(1)  # its own threads wake up, and its numbers are in the cache
            times[name].append(run(counts[name]))
    pairs = n * n if mask == "full" else n * (n + 1) / 2
    row = {"pass": what, "mask": mask, "n": n, "d": d, "threads": threads}
    row["milliseconds"] = {name: 1000 * median(values) for name, values in times.items() if name != "sgemm"}
    row["ratios"] = {name: median([a / b for a, b in zip(times[name], times["ours"])])
                     for name in row["milliseconds"] if name != "ours"}
    row["gflops"] = pairs * d * (4 if what == "forward" else 14) / median(times["ours"]) / 1e9
    if "sgemm" in times:
        row["sgemm_gflops"] = 2 * 2048 ** 3 / median(times["sgemm"]) / 1e9
        row["of_sgemm"] = row["gflops"] / row["sgemm_gflops"]
    return row


def measure(options):
    server = Server(options.server)
    found = peers(server, options.explicit)
    report = {"machine": machine(), "commit": commit(), "repetitions": options.repetitions, "rows": []}
    for threads in options.threads:
        for mask in options.mask:
            for what in options.passes:
                for n in options.length:
                    for d in options.width:
                        row = measure_row(server, found, what, n, d, mask, threads, options)
                        report["rows"].append(row)
                        print(row, file=sys.stderr)
    report["load"] = os.getloadavg()[0]
    report["peers"] = {name: peer.name for name, peer in found.items() if peer}
    if "onnxruntime" in found:
        report["peers"]["onnxruntime"] += ", " + ", ".join(
            f"{mask}: {graph}" for mask, graph in found["onnxruntime"].chosen.items())
    if server.blas != "none":
        report["peers"]["openblas"] = server.blas + ", naive: sgemm, softmax by std::exp, sgemm"
    return report


NAMES = {"ours": "Quench", "torch": "PyTorch", "onnxruntime": "ONNX Runtime", "openblas": "OpenBLAS"}


def markdown(report):
    """Tables of one report: milliseconds of ours, and how many times longer each peer takes."""
    text = [f"{report['machine']}, load {report['load']:.1f}, commit {report['commit']}; medians of "
            f"{report['repetitions']} interleaved repetitions, float32, one head.", ""]
    text += [f"- {name}" for name in report["peers"].values()] + [""]
    rows = report["rows"]
    for threads in sorted({row["threads"] for row in rows}):
        clock = "processor time" if threads == 1 else "wall-clock time"
        for what in ("forward", "both"):
            part = [row for row in rows if row["threads"] == threads and row["pass"] == what]
            if not part:
                continue
            others = [name for name in ("torch", "onnxruntime", "openblas") if any(name in r["ratios"] for r in part)]
            title = "Forward" if what == "forward" else "Forward and backward"
            text += [f"{title}, {threads} thread{'s' if threads > 1 else ''}, {clock}:", ""]
            heads = ["mask", "n", "d", "Quench ms", "GF/s"] + [f"{NAMES[name]} ÷ ours" for name in others]
            sgemm = any("of_sgemm" in row for row in part)
            heads += ["of sgemm's rate"] if sgemm else []
            text += ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
            for row in part:
                cells = [row["mask"], f"{row['n']:,}", str(row["d"]), f"{row['milliseconds']['ours']:.2f}",
                         f"{row['gflops']:.0f}"]
                cells += [f"{row['ratios'][name]:.2f}" if name in row["ratios"] else "–" for name in others]
                if sgemm:
                    cells += [f"{100 * row['of_sgemm']:.0f} %" if "of_sgemm" in row else ""]
                text.append("| " + " | ".join(cells) + " |")
            text.append("")
    return "\n".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", default=str(SERVER), help="the built bench/attention_server")
    parser.add_argument("--length", type=int, nargs="+", default=[1024, 4096])
    parser.add_argument("--width", type=int, nargs="+", default=[4, 8, 16, 32, 64, 128])
    parser.add_argument("--threads", type=int, nargs="+", default=[1])
    parser.add_argument("--mask", nargs="+", choices=["causal", "full"], default=["causal", "full"])
    parser.add_argument("--passes", nargs="+", choices=["forward", "both"], default=["forward", "both"])
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--slice", type=float, default=8, help="milliseconds per peer and repetition (at least one run)")
    parser.add_argument("--explicit", action="store_true", help="PyTorch by products and an explicit softmax")
    parser.add_argument("--json", help="write the report here")
    parser.add_argument("--markdown", help="write the tables here (else to standard output)")
    parser.add_argument("--from-json", nargs="+", help="do not measure: tables of these reports")
    options = parser.parse_args()
    if options.from_json:
        report = json.loads(Path(options.from_json[0]).read_text())
        for other in options.from_json[1:]:
            report["rows"] += json.loads(Path(other).read_text())["rows"]
    else:
        if not Path(options.server).exists():
            parser.error(f"{options.server} is not built: cmake --preset bench && "
                         "cmake --build build/bench --target attention_server")
        prepare_environment(max(options.threads))
        report = measure(options)
    if options.json:
        Path(options.json).write_text(json.dumps(report, indent=1) + "\n")
    if options.markdown:
        Path(options.markdown).write_text(markdown(report))
    else:
        print(markdown(report))


if __name__ == "__main__":
    main()
