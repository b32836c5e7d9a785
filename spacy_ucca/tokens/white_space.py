"""Let the components of a pipeline predict as if tokens of white space were not there."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import groupby
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from .without_spaces import has_units_of_spaces, with_spaces, without_spaces


def create_ignore_white_space(
    callback: Callable[[Language], Language] | None = None,
) -> Callable[[Language], Language]:
    """Create a callback for `nlp.after_pipeline_creation` of a config: a double space, a no-break space, a tab or a line break
    in place of a space changes nothing that the components predict. They learn so, too.

    callback (Optional[Callable[[Language], Language]]): Another callback, which is called first.
    RETURNS (Callable[[Language], Language]): The callback.
    """

    def after_pipeline_creation(nlp: Language) -> Language:
        return ignore_white_space(callback(nlp) if callback else nlp)

    return after_pipeline_creation


def ignore_white_space(nlp: Language) -> Language:
    """Let the components of a pipeline that have `predict` see copies of Docs without tokens of white space. What they predict
    is written back. Other components, such as `sentence_boundaries` and functions, see the Docs as they are.

    nlp (Language): The pipeline; its class is changed to one derived from it.
    RETURNS (Language): The same pipeline.
    """
    if not isinstance(nlp, _WithoutSpaces):
        kind: Any = type(nlp)
        nlp.__class__ = _derive(_WithoutSpaces, kind)
    return nlp


def pipeline_steps(nlp: Language) -> list[tuple[str, Any]]:
    """RETURNS (List[Tuple[str, Callable]]): What `nlp(text)` runs one after the other: `nlp.pipeline`, and what takes white
    space away and puts it back."""
    return nlp.steps.pipeline if isinstance(nlp, _WithoutSpaces) else nlp.pipeline


class _Step:
    """A step of a pipeline that replaces Docs.

    convert, learn (Callable[[Doc], Doc]): Replaces a Doc that is parsed, and one that is learned from.
    """

    def __init__(self, convert: Callable[[Doc], Doc], learn: Callable[[Doc], Doc]) -> None:
        self.convert, self.learn = convert, learn

    def __call__(self, doc: Doc) -> Doc:
        return self.convert(doc)

    def update(self, examples: Iterable[Any], **kwargs: Any) -> None:
        """Replace the Docs of examples. Where a gold graph has units of white space, nothing is."""
        for eg in examples:
            if isinstance(eg, Example) and not has_units_of_spaces(eg.reference):
                for name in ("predicted", "reference"):
                    if (doc := self.learn(before := getattr(eg, name))) is not before:
                        setattr(eg, name, doc)


TAKE = _Step(without_spaces, without_spaces)
# Components that find sentences do not see blank lines.
TAKE_PARAGRAPHS = _Step(partial(without_spaces, paragraphs=True), without_spaces)
PUT_BACK = _Step(with_spaces, with_spaces)


def _copied(examples: Iterable[Any]) -> Iterator[Any]:
    """YIELDS (Example): Examples without white space; what is none as it is, for spaCy to refuse."""
    for eg in examples:
        copy = Example(eg.predicted, eg.reference) if isinstance(eg, Example) else eg
        TAKE.update([copy])
        yield copy


class _Derived(Language):
    """Base of classes that are made of the class of a pipeline, such as `English`."""

    def __reduce__(self) -> tuple:
        mixin, base = type(self).__bases__
        return _make, (mixin, base), self.__dict__


class _Steps(_Derived):
    """A pipeline as it runs."""

    @property
    def pipeline(self) -> list[tuple[str, Any]]:
        """RETURNS (List[Tuple[str, Callable]]): The components, and the steps between them."""
        steps: list[tuple[str, Any]] = []
        for predicts, items in groupby(super().pipeline, lambda item: hasattr(item[1], "predict")):
            group = [*items]
            if predicts:
                metas = (self.get_pipe_meta(name) for name, _ in group)
                finds = any("token.is_sent_start" in meta.assigns for meta in metas)
                take = TAKE_PARAGRAPHS if finds else TAKE
                group = [("take white space", take), *group, ("put white space back", PUT_BACK)]
            steps += group
        return steps


class _WithoutSpaces(_Derived):
    """A pipeline whose components predict without white space."""

    @property
    def steps(self) -> _Steps:
        """RETURNS (Language): This pipeline, to be run: it shares all its state."""
        steps = _make(_Steps, type(self).__bases__[1])
        steps.__dict__ = self.__dict__
        return steps

    def __call__(self, *args: Any, **kwargs: Any) -> Doc:
        return self.steps(*args, **kwargs)

    def pipe(self, *args: Any, **kwargs: Any) -> Iterator[Any]:  # type: ignore[override]
        return self.steps.pipe(*args, **kwargs)

    def update(self, *args: Any, **kwargs: Any) -> dict[str, float]:
        return self.steps.update(*args, **kwargs)

    def rehearse(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, float]:
        return super().rehearse(list(_copied(examples)), **kwargs)

    def initialize(self, get_examples: Any = None, **kwargs: Any) -> Any:
        def get_copied() -> Any:
            examples = get_examples()
            return examples and _copied(examples)

        return super().initialize(get_copied if callable(get_examples) else get_examples, **kwargs)


def _make(mixin: type, base: type) -> Any:
    return object.__new__(_derive(mixin, base))


@cache
def _derive(mixin: type, base: type) -> type:
    """RETURNS (type): A class with the name of the base."""
    return type(base.__name__, (mixin, base), {"__doc__": base.__doc__})
