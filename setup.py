"""Compiles `spacy_ucca/native/` where Cython and a C compiler are there, and the kernel of `spacy_ucca/encoder/`, which is C.
Everything else about the package is in `setup.cfg`.

Installation never fails for lack of either: the same sources run as plain Python then. Without a compiler
on purpose: `SPACY_UCCA_PURE=1 pip install .`; the variable also turns off what is compiled at run time.
`python -m build --wheel` gives a wheel for this platform and Python; with `SPACY_UCCA_PURE=1` one for all
of them (py3-none-any). The sdist is compiled where it is installed.
"""

import os
import re
import sys
import zlib
from configparser import ConfigParser
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

PACKAGE = "spacy_ucca.native"
NAMES = ("state", "kernels", "tree_walk", "rows", "greedy")
FOLDER = Path(*PACKAGE.split("."))
MADE = Path("build") / "loop" / FOLDER  # copies, with the checksum that `native/load.py` looks for


class BuildLoop(build_ext):
    """Makes C of the sources and compiles it; what goes wrong is said and left at that."""

    def build_extension(self, ext: Extension) -> None:
        try:
            ext.sources = ext.sources or [make_c(ext.name.rpartition("._")[2])]
            super().build_extension(ext)
        except Exception as err:  # no Cython, no compiler, no headers of Python, ...
            print(f"{ext.name} is not compiled and runs as plain Python: {err}", file=sys.stderr)


def make_c(name: str) -> str:
    """RETURNS (str): The C file made of a module, which goes by its name with "_" before it."""
    from Cython.Compiler.Main import CompilationOptions, compile

    MADE.mkdir(parents=True, exist_ok=True)
    for folder in (MADE, MADE.parent):
        (folder / "__init__.py").touch()
    paths = [name + ".py", name + ".pxd", "state.pxd"]
    source, types, state_types = (Path(FOLDER, path).read_bytes() for path in paths)
    checksum = zlib.crc32(b"".join([source, types, state_types]).replace(b"\r\n", b"\n"))
    (MADE / f"_{name}.py").write_bytes(source + b"\n\nSOURCE = %d\n" % checksum)
    (MADE / f"_{name}.pxd").write_bytes(types)
    for shared in ("state", "rows"):  # others cimport them
        (MADE / f"_{shared}.pxd").write_bytes(Path(FOLDER, f"{shared}.pxd").read_bytes())
    options = CompilationOptions(
        language_level=3, compiler_directives={"annotation_typing": False, "language_level": 3}
    )
    result = compile(str(MADE / f"_{name}.py"), options, full_module_name=f"{PACKAGE}._{name}")
    if result.num_errors:
        raise RuntimeError(f"Cython found {result.num_errors} errors")
    made = MADE / f"_{name}.c"
    if name in ("kernels", "greedy"):
        declared = rf"^static (?!CYTHON_INLINE)(?=[\w *]+\b__pyx_f_\w+_{name}_\w+\(.*/\*proto\*/)"
        mark, code = made.read_text("utf8").split("\n", 1)  # Cython looks for its mark
        code = re.sub(declared, "static CLONES ", code, flags=re.MULTILINE)
        made.write_text(f"{mark}\n{CLONES}{code}", "utf8")
    return str(made)


def readme() -> str:
    """RETURNS (str): The README for an index of packages: links to files lead to the project, if it has an address."""
    text = Path("README.md").read_text("utf8")
    setup_cfg = ConfigParser()
    setup_cfg.read("setup.cfg", "utf8")
    init = Path("spacy_ucca", "__init__.py").read_text("utf8")
    (version,) = re.findall(r'^__version__ = "(.+)"', init, re.MULTILINE)
    url = setup_cfg["metadata"]["url"].rstrip("/")
    if url:
        text = re.sub(r"(!\[[^\]]*\]\()(?!https?:)", rf"\1{url}/raw/v{version}/", text)
        text = re.sub(r"(\]\()(?!https?:)", rf"\1{url}/blob/v{version}/", text)
    return text


# Loops over numbers are compiled twice where the loader can choose: for all processors, and for those with AVX2. The results are
# the same.
CLONES = """
#include <limits.h>
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define CLONES __attribute__((target_clones("default", "avx2")))
#else
#define CLONES
#endif
"""

pure = os.environ.get("SPACY_UCCA_PURE", "0") not in ("", "0")
# Loops over numbers are made into instructions for several at once only if traps may be forgotten; products and sums are
# kept apart, so that results are those of NumPy on every processor.
FLAGS = ["-O3", "-fno-trapping-math", "-ffp-contract=off"]
optimize = [] if sys.platform == "win32" else FLAGS
KERNEL = Path("spacy_ucca", "encoder", "int8.c")
# `encoder/rounded.py` looks for it.
checksum = zlib.crc32(KERNEL.read_bytes().replace(b"\r\n", b"\n"))
extensions = [
    Extension("spacy_ucca.encoder._int8", [KERNEL.as_posix()], [], [("SOURCE", str(checksum))]),
    *(Extension(f"{PACKAGE}._{name}", []) for name in NAMES),
]
for extension in extensions:
    extension.optional, extension.extra_compile_args = True, optimize
setup(
    long_description=readme(),
    long_description_content_type="text/markdown",
    ext_modules=[] if pure else extensions,
    cmdclass={"build_ext": BuildLoop},
)
