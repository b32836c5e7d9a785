"""Files that commands write: never over what they read, whole or not at all. Pure Python.

Not here: what is in them (`formats`).
"""

from .outputs import OutputDirectory, check_outputs, check_pipeline_directory
from .whole import NothingWritten, open_whole, replace_directory, write_whole

__all__ = [
    "NothingWritten",
    "OutputDirectory",
    "check_outputs",
    "check_pipeline_directory",
    "open_whole",
    "replace_directory",
    "write_whole",
]
