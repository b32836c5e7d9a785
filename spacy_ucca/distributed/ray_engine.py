"""Parse files of texts with Ray Data, on one machine or a cluster, to a directory of Parquet files.

A reader divides the files into parts of so many words. Each worker takes a part, parses it and writes it to a file that is
named after the part and appears whole or not at all. So a part that is parsed again, since its worker was ended, is there once.
"""

import json
import logging
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import Errors, UccaError
from ..methods import load_package
from .output import SUFFIX, Output
from .schema import pa
from .stage import ParseStage
from .texts import File, Item, Reader, find_texts, read_parts, reason_of
from .workers import divide

__all__ = ["Summary", "connect", "parse_texts"]

MAX_REASON = 500  # characters of what Ray says
SHARD_BYTES = 64 << 20  # what one reader reads; a larger file has one of its own
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Summary(NamedTuple):
    """What was done: the numbers of files written, of texts, of their tokens, and of texts with errors."""

    files: int = 0
    texts: int = 0
    tokens: int = 0
    errors: int = 0


def connect() -> Any:
    """Connect to the cluster that RAY_ADDRESS names, or start Ray on this machine, unless that is done already.

    RETURNS (Module): Ray.
    RAISES (UccaError): If Ray is not installed, or cannot be reached.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent unless it is asked for
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # what concerns Ray's developers
    ray = load_package("ray", install="pip install 'spacy-ucca[ray]'")
    load_package("ray.data", install="pip install 'spacy-ucca[ray]'")
    if not ray.is_initialized():
        try:
            ray.init(include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
        except (OSError, ValueError, RuntimeError) as err:
            address = os.environ.get("RAY_ADDRESS", "this machine")
            message = Errors.UC580.format(address=address, reason=" ".join(str(err).split()))
            raise UccaError(message) from None
    return ray


def parse_texts(
    source: str | Path | Iterable[str | Path],
    output: str | Path,
    stage: ParseStage,
    *,
    reader: Reader | None = None,
    workers: int = -1,
    resume: bool = False,
    advance: Callable[[Summary], None] = lambda summary: None,
) -> Summary:
    """Parse texts to Parquet files, which sort in the order of the texts.

    source (Union[str, Path, Iterable]): Files or directories that all machines reach, or addresses such as s3://...
    output (Union[str, Path]): The directory, likewise.
    stage (ParseStage): How to parse.
    reader (Optional[Reader]): How to read.
    workers (int): The number of processes, each with a CPU; -1: as many as the cluster has CPUs.
    resume (bool): Whether to keep the files that are there, and to make only those that are missing.
    advance (Callable): Called with the sums so far, after each file.
    RETURNS (Summary): The sums, without what was there before.
    RAISES (UccaError): If something cannot be read or written, or the pipeline cannot be loaded.
    """
    files = find_texts(source)
    to = Output.at(output)
    done = to.names()
    if done and not resume:
        raise UccaError(Errors.UC578.format(path=output))
    ray = connect()
    cpus = max(1, int(ray.cluster_resources().get("CPU", 1)))
    workers = workers if workers > 0 else cpus
    shards = [*divide(files, lambda file: file.size, SHARD_BYTES)]
    sums = Summary()
    with _settings(ray):
        parsed = (
            ray.data.from_items(list(range(len(shards))))
            .map_batches(
                _read_shard,
                fn_args=(shards, reader or Reader(), done),
                batch_size=1,
                batch_format="numpy",
                num_cpus=0,
            )
            .map_batches(
                _Worker,
                fn_constructor_args=(stage, to),
                batch_size=None,
                batch_format="pyarrow",
                compute=ray.data.ActorPoolStrategy(min_size=min(workers, cpus), max_size=workers),
                num_cpus=1,
                runtime_env={"env_vars": ONE_THREAD},
            )
        )
        try:
            for row in parsed.iter_rows():
                if failed := row.pop("failed"):
                    raise UccaError(failed)
                sums = Summary(*(a + row[name] for name, a in sums._asdict().items()))
                advance(sums)
        except ray.exceptions.RayError as err:
            reason = reason_of(err)[:MAX_REASON]
            raise UccaError(Errors.UC581.format(reason=reason)) from None
    return sums


def _read_shard(
    batch: Any, shards: Sequence[list[File]], reader: Reader, done: Collection[str]
) -> Iterator[pa.Table]:
    """YIELDS (pa.Table): A part, in one row; parts that are done are left out."""
    for shard in batch["item"]:
        try:
            for number, items in enumerate(read_parts(shards[shard], reader)):
                name = f"{shard:05}-{number:06}{SUFFIX}"
                if name not in done:
                    yield _pack(name, items)
        except UccaError as err:
            yield _pack("", [("", err)])


def _pack(name: str, items: list[Item]) -> pa.Table:
    """RETURNS (pa.Table): A part in one row, as JSON; without a name, the error that ends the run."""
    texts = [(id, text, "") if isinstance(text, str) else (id, "", str(text)) for id, text in items]
    return pa.table({"part": pa.array([json.dumps([name, texts])], pa.large_string())})


class _Worker:
    """What a process of Ray does: it parses parts and writes them."""

    def __init__(self, stage: ParseStage, output: Output) -> None:
        self.stage, self.output = stage, output

    def __call__(self, batch: pa.Table) -> pa.Table:
        parts = map(json.loads, batch["part"].to_pylist())
        return pa.Table.from_pylist([self._parse(name, texts) for name, texts in parts])

    def _parse(self, name: str, texts: list[tuple[str, str, str]]) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): What `Summary` counts, and why the run cannot go on: Ray would not hand on the error."""
        items = [(id, UccaError(error) if error else text) for id, text, error in texts]
        done, failed = Summary(), None
        try:
            if not name:
                raise UccaError(texts[0][2])
            _ = self.stage.nlp
            done = Summary(*self.output.parse(name, items, self.stage))
        except UccaError as err:
            failed = str(err)
        except OSError as err:
            failed = Errors.UC581.format(reason=reason_of(err))
        return {**done._asdict(), "failed": failed}


@contextmanager
def _settings(ray: Any) -> Iterator[None]:
    """Settings of Ray Data for a run: each part is a block, so that none waits for others; we show the progress."""
    context = ray.data.DataContext.get_current()
    ours = {
        "target_max_block_size": 1,
        "enable_progress_bars": False,
        "print_on_execution_start": False,
    }
    before = {name: getattr(context, name) for name in ours}
    logger = logging.getLogger("ray.data")
    level = logger.level
    try:
        logger.setLevel(logging.ERROR)
        for name, value in ours.items():
            setattr(context, name, value)
        yield
    finally:
        logger.setLevel(level)
        for name, value in before.items():
            setattr(context, name, value)
