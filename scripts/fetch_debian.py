"""Fetch Debian packages and unpack their files, without installing them.

    python scripts/fetch_debian.py assets/texts fortunes fortunes-min

Needs Debian or a system like it, with `apt-get` and `dpkg`.
"""

import subprocess
import tempfile
from pathlib import Path

import typer

app = typer.Typer(add_completion=False)


@app.command()
def main(
    output: Path = typer.Argument(..., help="Directory to unpack into"),
    packages: list[str] = typer.Argument(..., help="Names of packages"),
) -> None:
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        try:
            subprocess.run(["apt-get", "download", *packages], cwd=folder, check=True)
            for file in sorted(Path(folder).glob("*.deb")):
                subprocess.run(["dpkg", "-x", str(file), str(output)], check=True)
        except FileNotFoundError as err:
            message = f"Error: {err.filename} is missing. Run this on Debian, or unpack {', '.join(packages)} to {output}."
            raise SystemExit(message) from None
        except subprocess.CalledProcessError as err:
            raise SystemExit(f"Error: {err}. Is the package list up to date?") from None


if __name__ == "__main__":
    app()
