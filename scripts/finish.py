"""Finish a trained pipeline: add what training of `ucca_parser` has no use for.

    python scripts/finish.py PIPELINE SYNTAX

PIPELINE and SYNTAX have the same tagger and parser, or PIPELINE has none. PIPELINE is changed:

- What else SYNTAX has, such as `morphologizer` and `lemmatizer`, is put after them, or after the encoder that both have; `senter`
  goes to the beginning.
- `sentence_boundaries` ends sentences at blank lines, and starts none with a closing quote.
- `attribute_ruler` gives tokens of white space the tags `_SP` and `SPACE` and no more, as in spaCy's own pipelines. It is the
  last: the other components have not learned from these tags, and see tokens beside them otherwise.
- The tokenizer keeps the full stop of "dr." and "DR.", as it keeps that of "Dr.".
- The configuration no longer names files and pipelines of the training, which are not where the pipeline is used. Its
  optimizer has numbers in place of variables.
"""

import sys
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.parts_of_speech import IDS as UNIVERSAL
from spacy.symbols import ORTH
from thinc.api import Config

from spacy_ucca.cli._pipelines import load_pipeline
from spacy_ucca.errors import UccaError

BOUNDARIES, RULER = "sentence_boundaries", "attribute_ruler"
SPACE = {"POS": "SPACE", "MORPH": ""}
# spaCy's tokenizers know them with a capital alone. No abbreviations that end sentences or look like words ("ill.").
TITLES = ("Dr.", "Mr.", "Mrs.", "Ms.", "Prof.")


def finish(pipeline: Path, syntax: Path) -> list[str]:
    """Finish a pipeline, as the module says.

    pipeline (Path): The pipeline, which is changed.
    syntax (Path): The pipeline with the same tagger and parser, and more components.
    RETURNS (List[str]): The names of the components that were added.
    RAISES (UccaError): If they are of two languages, or one cannot be loaded.
    """
    nlp, source = (load_pipeline(str(path.absolute())) for path in (pipeline, syntax))
    if nlp.lang != source.lang and "xx" not in (nlp.lang, source.lang):
        both = f"{pipeline} is for '{nlp.lang}', {syntax} for '{source.lang}'"
        raise UccaError(f"{both}. Give pipelines of one language.")
    names = [name for name in source.pipe_names if name not in nlp.pipe_names]
    if "tagger" in names:
        labels = source.get_pipe("tagger").labels  # of a merged word "ADP_DET"
        if {part for label in labels for part in label.split("_")} <= UNIVERSAL.keys():
            names.remove("tagger")
    shared = [name for name in nlp.pipe_names if name in source.pipe_names]
    place: dict[str, Any] = {"after": shared[-1]} if shared else {"first": True}
    for name in reversed(names):
        nlp.add_pipe(name, source=source, **place)
    after_creation = source.config["nlp"]["after_creation"]
    if after_creation and not nlp.config["nlp"]["after_creation"]:
        nlp.config["nlp"]["after_creation"] = after_creation
    if BOUNDARIES not in nlp.pipe_names and {"parser", "senter"} & set(nlp.pipe_names):
        nlp.add_pipe(BOUNDARIES, first=True)
        names.insert(0, BOUNDARIES)
    tagged = {"tagger", "morphologizer"} & set(nlp.pipe_names)
    if RULER not in nlp.pipe_names and tagged:
        attrs = {**({"TAG": "_SP"} if "tagger" in tagged else {}), **SPACE}
        nlp.add_pipe(RULER, last=True).add([[{"IS_SPACE": True}]], attrs)
        names.append(RULER)
    add_titles(nlp)
    forget_files(nlp)
    nlp.to_disk(pipeline)
    return names


def add_titles(nlp: Language) -> None:
    """Keep the full stop of titles in lower case and in capitals, where it would end a sentence.

    nlp (Language): The pipeline, whose tokenizer is changed if it knows these titles.
    """
    known = getattr(nlp.tokenizer, "rules", None) or {}
    for title in TITLES:
        if title in known:
            for form in (title.lower(), title.upper()):
                nlp.tokenizer.add_special_case(form, [{ORTH: form}])


def forget_files(nlp: Language) -> None:
    """Take paths, callbacks of the training and the log file out of the configuration of a trained pipeline.

    nlp (Language): The pipeline, whose configuration is changed. A path that a component has as a setting, such as that of
        a transformer, becomes an empty string: its weights are loaded with the pipeline.
    """
    settings = Config({"components": nlp.config["components"]}).to_str(interpolate=False)
    nlp.config["paths"] = {
        name: "" if f"${{paths.{name}}}" in settings else None for name in nlp.config["paths"]
    }
    nlp.config["initialize"] |= {"before_init": None, "after_init": None}
    nlp.config["training"] |= {"before_update": None, "before_to_disk": None}
    nlp.config["training"]["logger"].pop("output_file", None)
    for name in nlp.component_names:
        model = nlp.get_pipe_config(name).get("model") or {}
        if "source" in model:  # of `spacy-ucca.Encoder.v1`
            model["source"] = ""
    # `Language.create_optimizer`, and so `nlp.update`, resolves no variables.
    nlp.config["training"]["optimizer"] = nlp.config.interpolate()["training"]["optimizer"]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        print("Added:", ", ".join(finish(*map(Path, sys.argv[1:]))) or "nothing")
    except (UccaError, OSError) as err:
        sys.exit(f"Error: {err}")
