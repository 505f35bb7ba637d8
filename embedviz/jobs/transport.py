"""Arguments and results between the pool and a worker, as pickles in an anonymous temporary file.

Only processes of this program write these pickles.
"""

import contextlib
import io
import os
import pickle
from collections.abc import Iterator, Sequence
from typing import IO, Any, Literal

import numpy as np

MB = 1 << 20
LARGEST_ARGUMENTS = 64 * MB
THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


class _Refused(Exception):
    pass


class _Limited(io.BytesIO):
    def write(self, part: Any) -> int:
        if self.tell() + memoryview(part).nbytes > LARGEST_ARGUMENTS:
            raise _Refused
        return super().write(part)


class _Pickler(pickle.Pickler):
    """A pickler that gives the data of arrays to its `buffer_callback`, except for arrays of objects."""

    def reducer_override(self, value: Any) -> Any:
        if type(value) not in (np.ndarray, np.memmap) or value.dtype.hasobject:
            return NotImplemented
        array = np.asarray(value)
        return (array if array.flags.forc else array.copy()).__reduce_ex__(5)


def thread_variables(threads: int) -> dict[str, str]:
    """Return environment variables that limit OpenBLAS to one thread, and other numeric libraries to `threads`.

    A waiting thread of OpenBLAS keeps its core busy. If other work needs the cores, many small products take two to
    twenty times as long with two threads as with one. If the cores are free, two threads are hardly faster.
    `core.device.large_products` gives large products all threads.
    """
    return {**dict.fromkeys(THREAD_VARIABLES, str(threads)), "OPENBLAS_NUM_THREADS": "1"}


def pack(function: str, arguments: object) -> bytes:
    """Pickle the arguments of a function, and return the bytes.

    Raises:
        ValueError: The arguments are too large or cannot be pickled.
    """
    target = _Limited()
    try:
        pickle.Pickler(target, 5).dump(arguments)
    except _Refused:
        raise ValueError(
            f"The arguments of “{function}” take more than {LARGEST_ARGUMENTS // MB} MB. "
            "Save what is large to a file and give its path."
        ) from None
    except Exception as error:  # whatever a __reduce__ raises
        raise ValueError(
            f"The arguments of “{function}” cannot be sent to another process ({type(error).__name__}: {error}). "
            "Give numbers, texts, arrays, paths and objects of the library."
        ) from error
    return target.getvalue()


@contextlib.contextmanager
def rewound(descriptor: int, mode: Literal["rb", "wb"]) -> Iterator[IO[bytes]]:
    """Open the worker's file at its beginning. The descriptor stays open when the context ends."""
    with open(descriptor, mode, closefd=False) as file:
        file.seek(0)
        yield file


def put(descriptor: int, result: object) -> tuple[int, list[int]]:
    """Write a result into the worker's file. Return the size of the file and the lengths of the arrays, in bytes.

    The pickle comes first in the file, then the data of one array after the other.
    """
    data: list[pickle.PickleBuffer] = []
    with rewound(descriptor, "wb") as file:
        _Pickler(file, 5, buffer_callback=data.append).dump(result)
        lengths = [file.write(each.raw()) for each in data]
        return file.tell(), lengths


def take(descriptor: int, lengths: Sequence[int] = ()) -> Any:
    """Read and unpickle the worker's file, then empty it. Arrays that `put` wrote are read-only.

    Args:
        lengths: Lengths of the arrays' data, as `put` returns them.
    """
    try:
        with rewound(descriptor, "rb") as file:
            file.seek(-sum(lengths), os.SEEK_END)
            data = [file.read(length) for length in lengths]  # bytes: arrays on them cannot be made writable
            file.seek(0)
            return pickle.load(file, buffers=data)  # noqa: S301 (written by our own process)
    finally:
        os.ftruncate(descriptor, 0)
