#!/usr/bin/env python3
"""Measures what docs/cluster.md says under "How far it scales", and prints its rows: a few minutes on an idle machine.

usage: scripts/measure_cluster.py [--build build/release] [--rounds N] [--scale SHARE] [--quick]

Throughput: one campaign on 1, 2 and 4 ranks, in turns; the median over the rounds of the seconds that the campaign itself
reports, so starting MPI is not in it. The constants: 3,000 and 300 pieces that do nearly nothing on two working ranks and
a rank 0 that only gives them out, whose processor time is taken; their difference leaves out its start-up.
"""
import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def as_rank(file, command):
    """Rank 0 as a child of this script, whose processor time goes into the file."""
    code = subprocess.run(command).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    Path(file).write_text(str(used.ru_utime + used.ru_stime))
    return code


class Cluster:
    def __init__(self, build, folder):
        self.program = str((ROOT / build / "quench-mpi").resolve())
        self.folder = Path(folder)
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if os.geteuid() == 0 else {}
        self.environment = {**os.environ, **root}

    def run(self, ranks, arguments):
        """What a campaign took on so many ranks: seconds, rank 0's processor time, and the journal's lines."""
        journal, used = self.folder / "journal", self.folder / "used"
        journal.unlink(missing_ok=True)
        command = [self.program, *arguments, "--journal", str(journal)]
        first = [sys.executable, __file__, "--as-rank", str(used), *command]
        others = [":", "-n", str(ranks - 1), *command] if ranks > 1 else []
        done = subprocess.run(["mpirun", "--oversubscribe", "-n", "1", *first, *others], env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        seconds = re.search(r"from the journal; ([0-9.]+) s", done.stderr)
        if done.returncode != 0 or not seconds:
            sys.exit(done.stderr)
        return float(seconds[1]), float(used.read_text()), journal.read_bytes().splitlines()[1:]


def campaign(folder, name, scale):
    """The campaign `billion` with a share of its random rules, as a file."""
    document = json.loads((ROOT / "campaigns/billion.json").read_text())
    document["name"] = name
    for rules in document["rules"]:
        rules["count"] = max(1, round(rules["count"] * scale))
    path = Path(folder) / f"{name}.json"
    path.write_text(json.dumps(document))
    return ["verify", "--campaign", str(path)]


def seconds_of(lines):
    return [json.loads(line[17:])["seconds"] for line in lines]


def throughput(cluster, arguments, rounds):
    times, lines = {1: [], 2: [], 4: []}, []
    for _ in range(rounds):
        for ranks in times:
            seconds, _, lines = cluster.run(ranks, arguments)
            times[ranks].append(seconds)
    alone = statistics.median(times[1])
    print(f"\n| ranks | seconds for {len(lines)} pieces: median (least … greatest) of {rounds} | times the throughput of one |")
    print("|---|---|---|")
    for ranks, found in times.items():
        middle = statistics.median(found)
        print(f"| {ranks} | {middle:.1f} ({min(found):.1f} … {max(found):.1f}) | {alone / middle:.2f} |")
    print(f"\nA piece takes {statistics.mean(seconds_of(lines)):.2f} s on average and {max(seconds_of(lines)):.1f} s at most; its line "
          f"of the journal {statistics.mean(map(len, lines)) + 1:.0f} bytes.")


def constants(cluster, rounds):
    tiny = ["verify", "-e", "Q_a", "--recipe", "tight", "--exhaustive", "1", "--spare-first", "--parts"]
    whole, net, gaps, size = [], [], [], 0
    for _ in range(rounds):
        _, many, lines = cluster.run(3, [*tiny, "3000"])
        _, few, _ = cluster.run(3, [*tiny, "300"])
        wall, _, alone = cluster.run(2, [*tiny, "3000"])
        whole.append(1e3 * many / 3000)
        net.append(1e3 * (many - few) / 2700)
        gaps.append(1e3 * (wall - sum(seconds_of(alone))) / 3000)
        size = statistics.mean(map(len, lines)) + 1
    print("\n| | measured |\n|---|---|")
    print(f"| rank 0 per piece | {statistics.median(net):.3f} ms of a core, start-up included {statistics.median(whole):.3f} ms |")
    print(f"| a line of the journal | {size:.0f} bytes for one trial |")
    print(f"| from a result to the next piece | {statistics.median(gaps):.2f} ms |")


def main():
    if sys.argv[1:2] == ["--as-rank"]:
        return as_rank(sys.argv[2], sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=0.06, help="the share of the rules of `billion` that is tried")
    parser.add_argument("--quick", action="store_true", help="once and on little: whether it runs, not what comes out")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.scale = 1, 0.01
    version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {version}")
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(options.build, folder)
        throughput(cluster, campaign(folder, "part", options.scale), options.rounds)
        constants(cluster, options.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
