"""The virtual environments in build/: one from requirements.lock with the newest of everything, and thin ones on top of it where an
older generation of a tool has to be tried too, which cannot be beside the newest. environments.py BUILD NAME makes one, and prints its
interpreter."""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
NEWEST = "requirements.lock"
ON_TOP = {"transformers_4": "transformers-4.lock", "transformer_lens_3": "transformer-lens-3.lock"}


def ensure(build, name):
    """The interpreter of the environment `name`: "newest", or one of ON_TOP. Made if it is not there, or its lock file has changed."""
    base = Path(build) / "python_environment"
    folder = base if name == "newest" else Path(build) / f"python_environment_{name}"
    python = folder / "bin" / "python"
    lock = HERE / (NEWEST if name == "newest" else ON_TOP[name])
    stamp, wanted = folder / "made_from.lock", lock.read_text() + sys.version
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    if not python.exists():
        print(f"making {folder}", file=sys.stderr, flush=True)
        venv.create(folder, with_pip=True)
    if name != "newest":
        below = subprocess.run([ensure(build, "newest"), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
                               check=True, capture_output=True, text=True).stdout.strip()
        own = next(folder.glob("lib/python*/site-packages"))
        (own / "newest.pth").write_text(below + "\n")
    alone = [] if name == "newest" else ["--no-deps"]
    subprocess.run([python, "-m", "pip", "install", "-q", *alone, "-r", lock], check=True)
    stamp.write_text(wanted)
    return python


def node_modules(build):
    """Where npm put what package-lock.json says; None without Node.js and npm."""
    if not shutil.which("node") or not shutil.which("npm"):
        return None
    folder = Path(build) / "node_environment"
    lock = (HERE / "package-lock.json").read_text()
    if not (folder / "package-lock.json").exists() or (folder / "package-lock.json").read_text() != lock:
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, folder)
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--silent"], cwd=folder, check=True)
    return folder / "node_modules"


if __name__ == "__main__":
    print(ensure(sys.argv[1], sys.argv[2]))
