"""Makes an installable package of the pipeline in this folder: `pip install ./models/en_ucca_sm`.

Name, version, licence and requirements are those of `meta.json`. Nothing here depends on the pipeline.
"""

import json
import tempfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

FOLDER = Path(__file__).parent
META = json.loads((FOLDER / "meta.json").read_text("utf8"))
NAME = f"{META['lang']}_{META['name']}"
DATA = ("meta.json", "config.cfg", "tokenizer", "vocab", *META["components"])


class BuildPy(build_py):
    """Leaves out this file, which lies beside `__init__.py`."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        modules = super().find_package_modules(package, package_dir)
        return [module for module in modules if module[1] == "__init__"]


def list_files(name: str) -> list[str]:
    """RETURNS (List[str]): A file, or all files of a folder; none, if there is no such file."""
    path = FOLDER / name
    paths = [path, *sorted(path.rglob("*"))]
    return [p.relative_to(FOLDER).as_posix() for p in paths if p.is_file()]


# Another place for what setuptools writes: this folder has only what is packed.
with tempfile.TemporaryDirectory() as scratch:
    setup(
        name=NAME,
        version=META["version"],
        description=META["description"],
        long_description=(FOLDER / "README.md").read_text("utf8"),
        long_description_content_type="text/markdown",
        author=META["author"],
        license=META["license"],
        packages=[NAME],
        package_dir={NAME: "."},
        package_data={NAME: [file for name in DATA for file in list_files(name)]},
        install_requires=META["requirements"],
        python_requires=">=3.10",
        entry_points={"spacy_models": [f"{NAME} = {NAME}"]},
        zip_safe=False,
        cmdclass={"build_py": BuildPy},
        options={"build": {"build_base": scratch}, "egg_info": {"egg_base": scratch}},
    )
