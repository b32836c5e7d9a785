"""Damage the files of a saved component, and hold that it is refused where it is loaded."""

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest
from spacy.language import Language
from thinc.api import Model

from spacy_ucca.errors import UccaError

CHECKSUMS = "checksums"


def damages(settings: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """YIELDS (Tuple[str, Any]): A name, and settings that were never saved so."""
    yield "a list", [settings]
    yield "nothing", {}
    yield "an unknown key", {**settings, "labelz": []}
    for key, value in settings.items():
        if key == CHECKSUMS or not value:
            continue
        yield f"no {key}", {k: v for k, v in settings.items() if k != key}
        for what in (None, "A", 1, [1], [[]], [None]):
            yield f"{what!r} for {key}", {**settings, key: what}
        if isinstance(value, list):
            odd = ["ZZ"] if isinstance(value[0], list) else "ZZ"
            for name, changed in (
                ("reversed", value[::-1]),
                ("doubled", [*value, value[0]]),
                ("one more", [*value, odd]),
                ("one less", value[1:]),
            ):
                if changed != value:
                    yield f"{key} {name}", {**settings, key: changed}


def load(nlp: Language, name: str, path: Path) -> Any:
    """RETURNS (Pipe): A component like one of a pipeline, loaded from the directory of that."""
    factory = nlp.get_pipe_meta(name).factory
    config = nlp.get_pipe_config(name)
    pipe: Any = nlp.create_pipe(
        factory, name, config={k: v for k, v in config.items() if k != "factory"}
    )
    return pipe.from_disk(path / name, exclude=["vocab"])


def check_damage_is_refused(nlp: Language, name: str, path: Path) -> None:
    """Damage the settings and the weights of a component.

    nlp (Language): A pipeline that has been trained.
    name (str): The component.
    path (Path): An empty directory.
    """
    nlp.to_disk(path)
    file = path / name / "cfg"
    settings = json.loads(file.read_text("utf8"))
    assert settings.pop(CHECKSUMS)
    n = 0
    for what, changed in damages(settings):
        n += 1
        if isinstance(changed, dict):
            changed = {**changed, CHECKSUMS: nlp.get_pipe(name).cfg[CHECKSUMS]}
        file.write_text(json.dumps(changed), "utf8")
        with pytest.raises(UccaError, match="UC340"):
            load(nlp, name, path)
            pytest.fail(what)
    assert n > 10
    file.write_text(json.dumps(settings), "utf8")
    with pytest.raises(ValueError, match="UC327"):  # pipelines of spacy-ucca 0.1 have no checksums
        load(nlp, name, path)


def check_weights_are_finite(nlp: Language, name: str, path: Path) -> None:
    """Damage the weights of a component, one array after the other."""
    component = nlp.get_pipe(name).to_bytes()  # type: ignore[attr-defined]
    nlp.to_disk(path)
    model: Model = nlp.get_pipe(name).model  # type: ignore[attr-defined]
    for i in range(len(_arrays(model))):
        for value in [float("nan") if i % 2 else float("inf")]:
            _set(model, i, value)
            nlp.get_pipe(name).to_disk(path / name)  # type: ignore[attr-defined]
            with pytest.raises(ValueError, match="UC341"):
                load(nlp, name, path)
            nlp.get_pipe(name).from_bytes(component)  # type: ignore[attr-defined]
    _set(model, 0, 0.125)
    nlp.to_disk(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(nlp, name, path)
    file = path / name / "model"
    nlp.get_pipe(name).from_bytes(component)  # type: ignore[attr-defined]
    nlp.to_disk(path / "other")
    (path / "other" / name / "cfg").replace(path / name / "cfg")
    with pytest.warns(UserWarning, match="UW308"):
        load(nlp, name, path)
    torn = file.read_bytes()
    for size in (0, 1, 100, len(torn) // 2, len(torn) - 1):
        file.write_bytes(torn[:size])
        with pytest.raises(UccaError, match="UC340"):
            load(nlp, name, path)


def _arrays(model: Model) -> list[tuple[Model, str]]:
    return [(n, p) for n in model.walk() for p in n.param_names if n.has_param(p)]


def _set(model: Model, i: int, value: float) -> None:
    layer, name = _arrays(model)[i]
    array = layer.get_param(name).copy()
    array.flat[-1] = value
    layer.set_param(name, array)


def check_scores_are_finite(nlp: Language, name: str) -> None:
    """Make weights so large that each is finite and their products are not. The component does not parse with them."""
    component: Any = nlp.get_pipe(name)
    saved = component.to_bytes()
    for layer in component.model.walk():
        for param in layer.param_names:
            if layer.has_param(param):
                layer.set_param(param, layer.get_param(param) + numpy.float32(1e30))
    with pytest.raises(UccaError, match=f"UC343.*{name}"):
        nlp("John likes Mary .")
    component.from_bytes(saved)
