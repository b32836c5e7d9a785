"""Check an installed spacy-ucca in its own environment, without a checkout: commands and Python give the graph that is expected.

    python scripts/check_install.py PIPELINE [--pure]

The loop over states has to run compiled; with `--pure`, as plain Python. Run it outside the checkout, whose package would be
imported in place of the installed one. All that it needs is installed with the package.
"""

import shutil
import subprocess
import sys
from pathlib import Path

TEXT = "After graduation, John moved to Paris."
# All platforms and both ways to run the loop have the same graph.
GRAPH = (
    "[L After] [H [P graduation] [A* =1]] [U ,] [H [A#1 John] [P moved] [A [R to] [C Paris]]] [U .]"
)


def run(*arguments: str, text: str = "") -> str:
    """RETURNS (str): What the command `spacy-ucca` of this environment prints.
    RAISES (SystemExit): If it is missing, or fails."""
    command = shutil.which("spacy-ucca", path=str(Path(sys.executable).parent))
    if command is None:
        sys.exit(f"There is no spacy-ucca beside {sys.executable}. Install the wheel there first.")
    result = subprocess.run(
        [command, *arguments], input=text, capture_output=True, text=True, encoding="utf8"
    )
    if result.returncode:
        sys.exit(f"spacy-ucca {' '.join(arguments)}: {result.stderr}")
    return result.stdout


def check(pipeline: str, way: str) -> str:
    """Check the installed package.

    pipeline (str): The name of an installed pipeline, or a directory.
    way (str): How the loop over states has to run: "compiled" or "plain Python".
    RETURNS (str): What `--version` prints.
    RAISES (SystemExit): If something is not as it has to be.
    """
    import spacy

    import spacy_ucca
    from spacy_ucca.formats.brackets import read_brackets

    place = Path(spacy_ucca.__file__)
    if "site-packages" not in place.parts:
        sys.exit(f"{place} is not installed. Run this outside the checkout, in an environment.")
    version = run("--version").strip()
    if version != f"spacy-ucca {spacy_ucca.__version__} (loop over states: {way})":
        sys.exit(f"'{version}' is not version {spacy_ucca.__version__}, {way}.")
    options = ["--model", pipeline, "--to", "brackets", "--no-progress"]
    printed = run("parse", "-", *options, text=TEXT).strip().splitlines()[-1]
    if printed != GRAPH:
        sys.exit(f"The command gives another graph:\n{printed}\n{GRAPH}")
    (expected,) = read_brackets(GRAPH)
    if not spacy.load(pipeline)(TEXT)._.ucca.same_structure(expected):
        sys.exit("`spacy.load` gives another graph than the command.")
    return version


if __name__ == "__main__":
    names = [argument for argument in sys.argv[1:] if argument != "--pure"]
    if len(names) != 1:
        sys.exit(__doc__)
    print(check(names[0], "plain Python" if "--pure" in sys.argv else "compiled"), "works.")
