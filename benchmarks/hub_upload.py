"""Upload made-up files to the stand-in Hub: memory of the client, bytes it reads, bytes it sends.

``python -m benchmarks.hub_upload --gigabytes 0.1 2`` from the repository root; twice as much disk is used meanwhile.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.machine import machine
from benchmarks.measure import MEMORY_KIND, Measurement, measure

REPO_ID = "made-up/upload"
OWNED = (r"README\.md", r"data/.+\.parquet")
FILE_BYTES = 400_000_000
PIECE_BYTES = 2**20


@dataclass(frozen=True)
class ClientReport:
    """What the client saw of itself while it planned and published.

    Attributes:
        seconds: Wall time.
        read: Bytes that it read from files, by the system's count (``rchar``, which leaves sockets out).
        revision: Commit that holds the files.
    """

    seconds: float
    read: int
    revision: str


@dataclass(frozen=True)
class Result:
    """One upload.

    Attributes:
        size: Bytes of the files.
        sent: Bytes that the Hub received as content of files in LFS.
        client: The client's own report.
        measurement: The client's process, its start included.
    """

    size: int
    sent: int
    client: ClientReport
    measurement: Measurement


def main() -> None:
    """Print one row a size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, nargs="+", default=[0.1, 2.0], help="sizes in 10^9 bytes")
    parser.add_argument("--folder", type=Path, help="where files are made and removed again")
    parser.add_argument("--client", type=Path, nargs=2, metavar=("FILES", "REPORT"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.client:
        run_client(*arguments.client)
        return
    print(machine())
    print(f"| size | seconds | peak {MEMORY_KIND} | of it private | read / size | sent / size |")
    print("|---:|---:|---:|---:|---:|---:|")
    for gigabytes in arguments.gigabytes:
        if arguments.folder:
            arguments.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            result = upload(Path(folder), round(gigabytes * 1e9))
        peak = result.measurement.peak
        print(
            f"| {result.size / 1e9:.2f} GB | {result.client.seconds:.1f} | {peak.total / 1e6:.0f} MB "
            f"| {peak.private / 1e6:.0f} MB | {result.client.read / result.size:.4f} "
            f"| {result.sent / result.size:.4f} |"
        )


def upload(folder: Path, size: int) -> Result:
    """Make files and upload them from a process of its own.

    Args:
        folder: An empty folder.
        size: Bytes of all Parquet-like files together.
    """
    from tests.fake_hub import fake_hub

    files, report = folder / "files", folder / "report.json"
    write_files(files, size)
    with fake_hub(folder / "hub") as hub:
        command = [sys.executable, "-m", "benchmarks.hub_upload", "--client", str(files), str(report)]
        measurement = measure(command, Path(__file__).parents[1], hub.environment())
        client = ClientReport(**json.loads(report.read_text()))
        sent = sum(seen.received for seen in hub.requests("^PUT /lfs-storage"))
        stored = hub.repository(REPO_ID).resolve(client.revision).files
        arrived = sum(file.blob.size for file in stored.values() if file.is_lfs)
    if arrived != size:
        raise RuntimeError(f"{arrived} bytes arrived of {size}")
    return Result(size, sent, client, measurement)


def write_files(folder: Path, size: int) -> None:
    """Write files of ``FILE_BYTES`` and a rest, with the first and last bytes of Parquet and random ones between."""
    (folder / "data").mkdir(parents=True)
    (folder / "README.md").write_text("---\nlicense: mit\n---\n# Made up\n")
    generator = random.Random(1)
    for number, start in enumerate(range(0, size, FILE_BYTES)):
        left = min(FILE_BYTES, size - start) - 8
        with (folder / "data" / f"train-{number:05}.parquet").open("wb") as file:
            file.write(b"PAR1")
            while left:
                piece = generator.randbytes(min(PIECE_BYTES, left))
                file.write(piece)
                left -= len(piece)
            file.write(b"PAR1")


def run_client(folder: Path, report: Path) -> None:
    """Publish a folder and write what it took."""
    from huggingface_hub import HfApi

    from hub.publish import publish
    from hub.publish_plan import Publication, plan

    files = {str(file.relative_to(folder)): file for file in sorted(folder.rglob("*")) if file.is_file()}
    publication, api = Publication(REPO_ID, files, OWNED), HfApi()
    read, start = read_bytes(), time.perf_counter()
    published = publish(plan(publication, api), api)
    taken = ClientReport(time.perf_counter() - start, read_bytes() - read, published.revision)
    report.write_text(json.dumps(asdict(taken)))


def read_bytes() -> int:
    """Return the bytes that this process has asked the system to read from files so far."""
    lines = Path("/proc/self/io").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("rchar"))


if __name__ == "__main__":
    main()
