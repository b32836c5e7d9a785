"""The commands of the command line, all of them imported."""

from typing import Any

from typer.main import get_command

from spacy_ucca.cli import app

GROUP: Any = get_command(app)
COMMANDS: dict[str, Any] = {
    name: GROUP.get_command(None, name) for name in GROUP.list_commands(None)
}
