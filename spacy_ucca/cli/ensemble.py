"""`spacy-ucca ensemble`: a pipeline of several ones, whose graphs are what these vote for.

What all commands take is made here, so that there is no second way to parse, evaluate or label. The component is
`committee.py`'s, the vote `voting/`'s.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import Errors, UccaError
from ._util import BEAM_HELP, VOTES_HELP, app, make_directory, user_errors, warn

if TYPE_CHECKING:
    from spacy.language import Language


@app.command("ensemble")
def ensemble_cli(
    output: Path = typer.Argument(..., help="Directory for the new pipeline"),
    models: list[str] = typer.Option(
        ..., "--model", "-m", help="Pipeline that sets UCCA graphs: its name or directory"
    ),
    weights: list[float] = typer.Option(
        [], "--weight", "-w", help="What the vote of each weighs, in their order. 1, if not given"
    ),
    majority: bool = typer.Option(
        False, "--majority", help="Ask for more than half of the votes, for edges of all kinds"
    ),
    scored: bool = typer.Option(
        True, "--scores/--no-scores", help="Whether edges count more that a parser is surer of"
    ),
    repair: bool = typer.Option(
        True, "--repair/--no-repair", help="Whether graphs follow the rules of UCCA"
    ),
    beam_width: int = typer.Option(None, "--beam-width", min=1, help=BEAM_HELP),
    beam_votes: bool = typer.Option(None, "--beam-votes/--no-beam-votes", help=VOTES_HELP),
):
    """Make a pipeline whose graphs several pipelines vote for, of the same kind or not.

    It is for all commands that take one: spacy-ucca evaluate OUTPUT DEV.spacy, spacy-ucca parse TEXT --model OUTPUT,
    spacy-ucca label TEXTS.spacy LABELED.spacy --model OUTPUT.
    """
    with user_errors():
        nlp = make_ensemble(
            models,
            weights or None,
            majority=majority,
            scored=scored,
            repair=repair,
            beam_width=beam_width,
            beam_votes=beam_votes,
        )
        make_directory(output)
        nlp.to_disk(output)
        warn(f"{output}: {len(models)} pipelines that vote.")


def make_ensemble(
    models: Sequence[str],
    weights: Sequence[float] | None = None,
    *,
    majority: bool = False,
    scored: bool = True,
    repair: bool = True,
    beam_width: int | None = None,
    beam_votes: bool | None = None,
) -> "Language":
    """Make a pipeline of pipelines.

    models (Sequence[str]): Pipelines that set UCCA graphs: names or directories.
    weights (Optional[Sequence[float]]): What the vote of each weighs; the same, if it is None.
    majority (bool): Whether edges need more than half of the votes.
    scored (bool): Whether edges count more that a parser is surer of.
    repair (bool): Whether graphs follow the rules of UCCA.
    beam_width (Optional[int]): Parses of a sentence to follow, from now on; None leaves it to the pipelines.
    beam_votes (Optional[bool]): Whether all of these vote, from now on; None leaves it to the pipelines.
    RETURNS (Language): A pipeline with `ucca_committee`, its tokenizer that of the first.
    RAISES (UccaError): If a pipeline cannot be loaded or sets no graphs, or the weights do not fit.
    """
    import spacy
    from spacy.tokens import Doc

    from ..committee import UccaCommittee, set_beam
    from ..extensions import get_graph
    from ..pipelines import load_pipeline
    from ..voting import DEFAULT, MAJORITY, check_weights

    if weights is not None:
        check_weights(weights, len(models))
    members = []
    for model in models:
        member = load_pipeline(model)
        set_beam(member, beam_width, beam_votes)
        if get_graph(member(Doc(member.vocab, words=["Yes", "."]))) is None:
            raise UccaError(Errors.UC864.format(model=model))
        members.append(member)
    first = members[0]
    config = {"nlp": {"tokenizer": first.config["nlp"]["tokenizer"]}}
    nlp = spacy.blank(str(first.lang), config=config)
    tokenizers: list[Any] = [nlp.tokenizer, first.tokenizer]
    if all(hasattr(tokenizer, "to_bytes") for tokenizer in tokenizers):  # those of users need not
        tokenizers[0].from_bytes(tokenizers[1].to_bytes())
    nlp.meta["name"] = "ucca_ensemble"
    nlp.meta["description"] = f"What these vote for: {', '.join(map(str, models))}"
    thresholds = MAJORITY if majority else DEFAULT
    settings = {"weights": weights and list(weights), "scored": scored, "repair": repair}
    committee = nlp.add_pipe(
        "ucca_committee", config={**settings, "thresholds": thresholds._asdict()}
    )
    assert isinstance(committee, UccaCommittee)
    committee.members = members
    return nlp
