"""Finetune the `ucca_parser` of a pipeline: a configuration for spaCy's training loop, made of the pipeline and of the size
of the training data.
"""

import logging
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

import srsly
from spacy.language import Language
from spacy.training.initialize import init_nlp
from spacy.training.loop import DIR_MODEL_BEST, DIR_MODEL_LAST, train
from spacy.util import get_package_path, is_package, load_meta, registry, resolve_dot_names
from thinc.api import Config

from ..component import UccaParser
from ..encoder.component import UccaEncoder
from ..errors import Errors, UccaError, Warnings
from ..files.whole import replace_directory
from ..tokens.extension import get_guidelines
from .corpus import UccaCorpus
from .label import upstream_of
from .pipelines import beam_parser, names_assigning
from .settings import wrong_settings

logger = logging.getLogger("spacy_ucca")

TEMPLATE = Path(__file__).with_name("finetune.cfg")
BATCH_WORDS = 200  # as the template has it
# 30 epochs of 50 sentences, 4 of 7,000
STEPS, STEPS_EXPONENT = 60, 0.6
N_EVALUATIONS = 12
LOG = "scores.jsonl"
UNFINISHED = "unfinished"  # the directory of pipelines until training ends
# What the training data need if the pipeline predicts it: the attribute, what assigns it, and its name
SYNTAX = (("TAG", "token.tag", "tags"), ("DEP", "token.dep", "dependencies"))
SYNTAX_FACTORIES = {"morphologizer", "parser", "senter", "tagger", "trainable_lemmatizer"}
# Keys of meta.json that say what a pipeline consists of, or which pipeline it is. All others, such as its licence, stay.
OWN_META = {
    *("lang", "name", "version", "spacy_version", "spacy_git_version", "vectors", "labels"),
    *("pipeline", "components", "disabled", "performance", "_sourced_vectors_hashes"),
}


class Finetuned(NamedTuple):
    """What training gave.

    path (Path): The directory of the best pipeline.
    before (float): Labeled F1 of the pipeline on the development data before training.
    score (float): That of the best pipeline, which may be lower if `score_weights` say so.
    step (int): The update after which it was the best; 0 if training has made nothing better.
    n (int): The number of development sentences; a Doc without sentence boundaries counts as one.
    """

    path: Path
    before: float
    score: float
    step: int
    n: int

    @property
    def noise(self) -> float:
        """RETURNS (float): What a difference of F1 has to exceed, to be no chance in 95 of 100 cases. The standard error of the gain
        of 60 steps on 50 sentences of English 20K was 0.08 / sqrt(n), in bootstrap samples of 50 to 261 sentences."""
        return 0.16 / max(1, self.n) ** 0.5


def finetune_config(
    nlp: Language,
    model: str,
    train: Path,
    dev: Path,
    output: Path,
    *,
    seed: int = 0,
    max_steps: int = 0,
    meta: Mapping[str, str] | None = None,
) -> Config:
    """Make a configuration that trains the `ucca_parser` of a pipeline further. `spacy train` takes it, too.

    nlp (Language): The pipeline.
    model (str): The name or directory that it was loaded from.
    train (Path): A .spacy file with gold graphs, or a directory of them.
    dev (Path): The same, to choose the best step by.
    output (Path): The directory for the trained pipelines, for the log of the scores.
    seed (int): The seed of the random numbers.
    max_steps (int): The number of updates; 0 depends on the number of words in the training data.
    meta (Optional[Mapping[str, str]]): What meta.json of the result has in place of what the pipeline's has: name, description.
    RETURNS (Config): The configuration.
    RAISES (UccaError): If the pipeline has no `ucca_parser`, or the data have no gold graphs, or lack tags or dependencies
        that the pipeline predicts, or the development data name guidelines that nobody has learned.
    """
    name = beam_parser(nlp, model).name
    parser: Any = nlp.get_pipe(name)
    n_words, learned = _check_corpus(nlp, train, parser.reads_syntax)
    _, named = _check_corpus(nlp, dev, parser.reads_syntax)
    unknown = sorted(named - learned - {*parser.known_guidelines, ""})
    if unknown:
        raise UccaError(Errors.UC336.format(path=dev, name=unknown[0], train=train))
    steps = max_steps or n_steps(n_words)
    old = nlp.config.interpolate()
    weights: dict[str, float | None] = dict.fromkeys(old["training"]["score_weights"])
    config = Config().from_disk(TEMPLATE, interpolate=False)
    config["paths"] = {"train": str(train), "dev": str(dev)}
    config["system"] = {"seed": seed, "gpu_allocator": old["training"]["gpu_allocator"]}
    config["nlp"] = old["nlp"]
    config["components"] = {component: {"source": model} for component in nlp.component_names}
    training = config["training"]
    upstream = upstream_of(nlp, name)

    def learns(pipe: Any) -> bool:
        # Taggers and dependency parsers lose less by what an encoder learns than `ucca_parser` gains.
        others = {nlp.get_pipe_meta(n).factory for n in pipe.listening_components if n != name}
        return isinstance(pipe, UccaEncoder) and others <= SYNTAX_FACTORIES

    learning = {name, *(pipe.name for pipe in upstream if learns(pipe))}
    training["frozen_components"] = [other for other in nlp.pipe_names if other not in learning]
    training["annotating_components"] = [p.name for p in upstream if p.name not in learning]
    training["max_steps"] = steps
    training["eval_frequency"] = max(1, steps // N_EVALUATIONS)
    training["optimizer"]["learn_rate"]["warmup_steps"] = max(1, min(50, steps // 10))
    training["before_to_disk"]["model"] = model
    training["logger"]["output_file"] = str(output / LOG)
    training["score_weights"] = {**weights, **training["score_weights"]}
    config["initialize"]["before_init"].update(tokenizer=model, vocab=model)
    after = {"model": model, "component": name, "meta": dict(meta or {})}
    config["initialize"]["after_init"].update(after)
    return config


def n_steps(n_words: int) -> int:
    """Choose the number of updates, which grows more slowly than the corpus.

    n_words (int): The number of words of the training data.
    RETURNS (int): A multiple of the number of evaluations.
    """
    n_batches = max(1, n_words / BATCH_WORDS)
    return N_EVALUATIONS * round(STEPS * n_batches**STEPS_EXPONENT / N_EVALUATIONS)


def finetune(config: Config, output: Path, *, gpu_id: int = -1) -> Finetuned:
    """Train by spaCy's loop, which prints the scores.

    config (Config): The configuration, from `finetune_config`.
    output (Path): The directory for `model-best` and `model-last`. Earlier ones are replaced when training ends; until
        then new ones are in `unfinished`.
    gpu_id (int): The GPU to use, or -1.
    RETURNS (Finetuned): The best pipeline.
    RAISES (UccaError): If the configuration is wrong.
    """
    with wrong_settings():
        nlp = _init_nlp(config, gpu_id)
        for disabled in config["nlp"]["disabled"]:
            nlp.disable_pipe(disabled)  # spaCy enables what it has initialized
    (output / LOG).unlink(missing_ok=True)
    unfinished = output / UNFINISHED
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    try:
        nlp.to_disk(unfinished / "before")
        stdout: Any = _Renaming(sys.stdout, unfinished, output)
        train(nlp, unfinished, use_gpu=gpu_id, stdout=stdout)
        log = list(srsly.read_jsonl(output / LOG))
        # spaCy saves the last of equals.
        best = max(log, key=lambda row: (row["score"], row["step"]))
        if best["score"] <= log[0]["score"]:
            best = log[0]
            _restore(unfinished / DIR_MODEL_BEST, unfinished / "before", best["scores"])
    finally:
        _finish(unfinished, output)
    before_f, best_f = (row["scores"]["ucca_f"] / 100 for row in (log[0], best))
    interpolated = nlp.config.interpolate()
    (dev,) = resolve_dot_names(interpolated, [interpolated["training"]["dev_corpus"]])
    n = sum(sum(1 for token in eg.reference if token.is_sent_start) or 1 for eg in dev(nlp))
    return Finetuned(output / DIR_MODEL_BEST, before_f, best_f, best["step"], n)


def _init_nlp(config: Config, gpu_id: int) -> Language:
    """RETURNS (Language): The initialized pipeline. UW313 tells in one message what spaCy tells of each listener."""
    frozen = config["training"]["frozen_components"]
    logs, is_new = logging.getLogger("spacy"), lambda record: "[W087]" not in record.getMessage()
    logs.addFilter(is_new)
    try:
        nlp = init_nlp(config, use_gpu=gpu_id)
    finally:
        logs.removeFilter(is_new)
    for name, pipe in nlp.pipeline:
        others = [n for n in getattr(pipe, "listening_components", ()) if n in frozen]
        if others and name not in frozen:
            named = " and ".join(f"'{other}'" for other in others)
            kept = srsly.json_dumps([*frozen, name])
            message = Warnings.UW313.format(name=name, others=named, frozen=kept)
            warnings.warn(message, stacklevel=3)
    return nlp


@registry.callbacks("spacy-ucca.continue_from.v1")
def create_continue_from(
    model: str, component: str, meta: dict[str, str] | None = None
) -> Callable[[Language], Language]:
    """Make the `ucca_parser` of a trained pipeline fit for new data, for `initialize.after_init`: it gets the labels of the
    training data, and the guidelines if all Docs name the same. The licence, sources and author of the pipeline stay.

    model (str): The name or directory of the trained pipeline.
    component (str): The name of the `ucca_parser`.
    meta (Optional[Dict[str, str]]): What to write in meta.json: name, description.
    RETURNS (Callable[[Language], Language]): The callback.
    """

    def after_init(nlp: Language) -> Language:
        old = load_meta(_find(model) / "meta.json")
        nlp.meta.update({key: value for key, value in old.items() if key not in OWN_META})
        nlp.meta.update(meta or {})
        config = nlp.config.interpolate()
        (corpus,) = resolve_dot_names(config, [config["training"]["train_corpus"]])
        examples = list(corpus(nlp))
        if not examples:
            raise UccaError(Errors.UC337)
        parser: Any = nlp.get_pipe(component)
        if not isinstance(parser, UccaParser):
            what, key = "the name of a `ucca_parser`", "initialize.after_init.component"
            raise UccaError(Errors.UC517.format(key=key, value=component, what=what))
        parser.exploration_start = 0  # it has learned already
        added = parser.add_labels_of(lambda: examples)
        if added:
            logger.info("New labels: %s", ", ".join(added))
        named = {get_guidelines(eg.reference) for eg in examples}
        if len(named) == 1 and named != {""}:
            (parser.guidelines,) = named
            nlp.get_pipe_config(component)["guidelines"] = parser.guidelines
        # `Language.create_optimizer`, and so `nlp.update`, resolves no variables.
        nlp.config["training"]["optimizer"] = config["training"]["optimizer"]
        return nlp

    return after_init


@registry.callbacks("spacy-ucca.keep_scores.v1")
def create_keep_scores(model: str) -> Callable[[Language], Language]:
    """Keep the scores of the components that are not trained, for `training.before_to_disk`: in training, their tags and
    dependencies are scored against predicted ones.

    model (str): The name or directory of the pipeline before training, whose meta.json has the scores.
    RETURNS (Callable[[Language], Language]): The callback.
    """

    def before_to_disk(nlp: Language) -> Language:
        old = load_meta(_find(model) / "meta.json").get("performance", {})
        kept = {key: score for key, score in old.items() if "ucca" not in key}
        new = nlp.meta.get("performance", {})
        own = {key: score for key, score in new.items() if key.startswith("ucca_")}
        nlp.meta["performance"] = {**kept, **own}
        return nlp

    return before_to_disk


class _Renaming:
    """A stream that has the name of another directory for one."""

    def __init__(self, stream: IO[str], old: Path, new: Path) -> None:
        self._stream, self._names = stream, (str(old), str(new))

    def write(self, text: str) -> int:
        return self._stream.write(text.replace(*self._names))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _finish(unfinished: Path, output: Path) -> None:
    """Put saved pipelines in the place of earlier ones, after an interruption too. A pipeline that is no whole copy stays away."""
    files = {
        name: sorted(p.relative_to(unfinished / name) for p in (unfinished / name).rglob("*"))
        for name in (DIR_MODEL_BEST, DIR_MODEL_LAST)
    }
    for name, found in files.items():
        if found and found == files[DIR_MODEL_LAST]:
            with replace_directory(output / name) as new:
                new.rmdir()
                os.replace(unfinished / name, new)
    shutil.rmtree(unfinished)


def _restore(path: Path, before: Path, scores: dict[str, float]) -> None:
    """Replace a saved pipeline by that before training, and its scores by those of the latter, in percent."""
    meta = srsly.read_json(path / "meta.json")
    kept = {k: v for k, v in meta["performance"].items() if not k.startswith("ucca_")}
    own = {k: v / 100 for k, v in scores.items() if k.startswith("ucca_")}
    shutil.rmtree(path)
    shutil.copytree(before, path)
    srsly.write_json(path / "meta.json", {**meta, "performance": {**kept, **own}})


def _find(model: str) -> Path:
    """RETURNS (Path): The directory of a pipeline, which may be an installed package."""
    return get_package_path(model) if is_package(model) else Path(model)


def _check_corpus(nlp: Language, path: Path, reads_syntax: bool) -> tuple[int, set[str]]:
    """RETURNS (Tuple[int, Set[str]]): The number of words of a corpus, and the guidelines that its Docs name.
    RAISES (UccaError): If a Doc has no gold graph, or no tags or dependencies although the pipeline predicts them for the parser."""
    n_words, guidelines = 0, set()
    needed = [item for item in SYNTAX if reads_syntax and names_assigning(nlp, item[1])]
    for number, eg in enumerate(UccaCorpus(path)(nlp), start=1):
        for attr, _, what in needed:
            if not eg.reference.has_annotation(attr):
                raise UccaError(Errors.UC335.format(number=number, path=path, what=what))
        n_words += len(eg.reference)
        guidelines.add(get_guidelines(eg.reference))
    return n_words, guidelines
