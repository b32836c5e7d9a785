"""Run the commands of examples/README.md and write what they print below them.

python examples/update_readme.py
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parent / "README.md"
BLOCK = re.compile(r"(```bash\n(.*?)```\n\n```text\n)(.*?)```", re.DOTALL)


def outputs(text: str) -> list[tuple[str, str, str]]:
    """RETURNS (List[Tuple[str, str, str]]): Of each block its commands, what is below them, and what they print."""
    return [(commands, shown, run(commands)) for _, commands, shown in BLOCK.findall(text)]


def run(commands: str) -> str:
    """RETURNS (str): What commands print, one after the other."""
    found = ""
    for line in commands.splitlines():
        _, *arguments = shlex.split(line)  # the Python that runs this stands in for `python`
        result = subprocess.run(
            [sys.executable, *arguments],
            cwd=README.parent.parent,
            capture_output=True,
            check=True,
            encoding="utf8",
        )
        found += result.stdout
    return found


if __name__ == "__main__":
    old = README.read_text("utf8")
    README.write_text(BLOCK.sub(lambda match: f"{match[1]}{run(match[2])}```", old), "utf8")
