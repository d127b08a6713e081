"""A trace handler for torch.profiler, which is not imported: the profile object is all it needs."""
from __future__ import annotations

import os
import socket
import time
import warnings
from typing import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import Options


def tensorboard_trace_handler(dir_name: str | os.PathLike[str], worker_name: str | None = None,
                              use_gzip: bool = False,
                              **options: Unpack[Options]) -> Callable[[Any], None]:
    """For torch.profiler.profile(on_trace_ready=...): exports each trace to dir_name and fixes it there.

    Takes what torch's own handler takes, names files as it does, and the options of fix. A trace that
    cannot be fixed stays as it was exported, with a warning: profiling goes on.
    """
    from ._options import Settings

    Settings("tensorboard_trace_handler", dict(options))  # a wrong option is told now, not at the end
    folder = os.fspath(dir_name)

    def handler(prof: Any) -> None:
        os.makedirs(folder, exist_ok=True)
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        name = f"{worker}.{time.time_ns()}.pt.trace.json" + (".gz" if use_gzip else "")
        path = os.path.join(folder, name)
        prof.export_chrome_trace(path)
        _fix_in_place(path, dict(options))

    return handler


def _fix_in_place(path: str, options: dict[str, Any]) -> None:
    from ._api import fix

    options["in_place"] = True
    try:
        fix(path, path, **options)
    except Exception as error:
        warnings.warn(f"{path} stays as it was exported: {error}", RuntimeWarning, stacklevel=3)
