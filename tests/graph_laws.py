"""Laws that hold for every valid graph: what is written is read, and nothing ends in a traceback or without end."""

import re
from collections.abc import Callable
from xml.etree import ElementTree

from spacy_ucca.conversion.bilexical import from_bilexical, to_bilexical
from spacy_ucca.conversion.constituency import from_constituency, remote_edges, to_constituency
from spacy_ucca.drawing.page_comparison import render_comparison
from spacy_ucca.drawing.render import render_svg
from spacy_ucca.drawing.tree import render_tree
from spacy_ucca.errors import FormatError, GraphError, UccaError
from spacy_ucca.formats.registry import FORMATS, Format
from spacy_ucca.formats.roundtrip import count_losses
from spacy_ucca.graph import Graph
from spacy_ucca.metric.mrp import compare_mrp
from spacy_ucca.metric.score import score_pair
from spacy_ucca.rules.linkage import add_linkage
from spacy_ucca.rules.repair import repair
from spacy_ucca.rules.validate import validate_graph
from spacy_ucca.text.spacing import without_spaces
from spacy_ucca.text.split import merge_roots, split_paragraphs, split_sentences
from spacy_ucca.text.statistics import count_corpus
