"""`spacy-ucca serve`: which pipelines it takes."""

from pathlib import Path

import pytest
import spacy
from typer.testing import CliRunner

from spacy_ucca.cli import app
from spacy_ucca.serve.server import UccaServer


@pytest.mark.parametrize("factory", ["ucca_from_dependencies", "ucca_from_bilexical"])
def test_command_takes_every_pipeline_that_sets_graphs(
    factory: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe(factory)
    nlp.to_disk(tmp_path)

    def stop(self, poll_interval: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(UccaServer, "serve_forever", stop)
    result = CliRunner().invoke(app, ["serve", "--no-open", "--port", "0", str(tmp_path)])
    assert result.exit_code == 0 and "Serving" in result.output
