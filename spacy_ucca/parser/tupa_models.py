"""The TUPA paper's classifiers as named architectures, with its hyperparameters as defaults.

The paper is Hershcovich, Abend and Rappoport (ACL 2017), with Table 2 of its supplement. Each says where it differs.
"""

from typing import Any

from spacy.tokens import Doc
from thinc.api import Model

from ..layers.template_scorer import ATTRIBUTES
from ..model import build_element_model, build_sparse_model
from ..native.elements import ACTION, GAP, LABEL, MARK
from .embed import build_ucca_embed, token_attributes
from .encoder import build_bilstm_encoder, build_ucca_tok2vec


def build_tupa_mlp(
    word_width: int = 200,
    tag_width: int = 20,
    dep_width: int = 10,
    vector_width: int = 100,
    include_static_vectors: bool = False,
    word_rows: int = 10000,
    word_dropout: float = 0.2,
    hidden_width: int = 100,
    hidden_depth: int = 2,
    label_width: int = 20,
    punct_width: int = 1,
    gap_width: int = 3,
    action_width: int = 3,
) -> Model[list[Doc], Any]:
    """TUPA's feed-forward classifier: embeddings of the elements of Figure 1, then an MLP.

    Words are hashed into a table rather than listed. The tags and dependency labels of all nodes are seen, also of children,
    of which the figure has the words alone. Activations are ReLU.

    word_width (int): Width of the embeddings of words.
    tag_width (int): Width of the embeddings of tags.
    dep_width (int): Width of the embeddings of dependency labels.
    vector_width (int): The width that the vectors of the vocabulary ("external word") are projected to.
    include_static_vectors (bool): Whether to use them.
    word_rows (int): Rows of the hash table of words.
    word_dropout (float): How often words are hidden in training: a word that the training data has n times with
        probability word_dropout / (word_dropout + n), as Kiperwasser and Goldberg (2016) do. Unseen words are hidden.
    hidden_width (int): Width of the hidden layers.
    hidden_depth (int): Their number.
    label_width (int): Width of the embeddings of edge labels.
    punct_width (int): Width of the embeddings of punctuation marks between items.
    gap_width (int): Width of the embeddings of gap types.
    action_width (int): Width of the embeddings of actions.
    RETURNS (Model[List[Doc], Dict[str, ElementStep]]): The model, for the transition system "tupa".
    """
    embed = _embed(
        word_width,
        tag_width,
        dep_width,
        vector_width,
        include_static_vectors,
        word_rows,
        word_dropout,
    )
    widths = _widths(label_width, punct_width, gap_width, action_width)
    return build_element_model(embed, hidden_width, hidden_depth, widths)


def build_tupa_bilstm(
    word_width: int = 200,
    tag_width: int = 20,
    dep_width: int = 10,
    vector_width: int = 100,
    include_static_vectors: bool = False,
    word_rows: int = 10000,
    word_dropout: float = 0.2,
    lstm_width: int = 500,
    lstm_depth: int = 2,
    recurrent_dropout: float = 0.4,
    hidden_width: int = 50,
    hidden_depth: int = 2,
    label_width: int = 20,
    punct_width: int = 1,
    gap_width: int = 3,
    action_width: int = 3,
) -> Model[list[Doc], Any]:
    """TUPA's BiLSTM classifier: a bidirectional LSTM over the sentence between the embeddings and the
    MLP; see `build_tupa_mlp` for these and for what differs.

    lstm_width (int): Width of the LSTM, both directions together.
    lstm_depth (int): Number of its layers.
    recurrent_dropout (float): Dropout over the weights of the LSTM.
    RETURNS (Model[List[Doc], Dict[str, ElementStep]]): The model, for the transition system "tupa".
    """
    embed = _embed(
        word_width,
        tag_width,
        dep_width,
        vector_width,
        include_static_vectors,
        word_rows,
        word_dropout,
    )
    encode = build_bilstm_encoder(lstm_width, lstm_depth, recurrent_dropout, normalize=False)
    widths = _widths(label_width, punct_width, gap_width, action_width)
    return build_element_model(
        build_ucca_tok2vec(embed, encode), hidden_width, hidden_depth, widths
    )


def build_tupa_sparse(min_update: int = 5) -> Model[list[Doc], Any]:
    """TUPA's perceptron over templates of binary features (Figure 1 of the supplement), without vectors.

    Its learning rate is 1; `spacy-ucca.learn_rate_decay.v1`, called before each update, lets it decay.

    min_update (int): MINUPDATE: how many updates a feature is in before its weights count.
    RETURNS (Model[List[Doc], Dict[str, TemplateStep]]): The model, for the transition system "tupa".
    """
    return build_sparse_model(token_attributes([*ATTRIBUTES], 0.0), min_update)


def _widths(labels: int, punct: int, gaps: int, actions: int) -> dict[str, int]:
    return {LABEL: labels, MARK: punct, GAP: gaps, ACTION: actions}


def _embed(
    word_width: int,
    tag_width: int,
    dep_width: int,
    vector_width: int,
    include_static_vectors: bool,
    word_rows: int,
    word_dropout: float,
) -> Model[list[Doc], Any]:
    return build_ucca_embed(
        ["ORTH", "TAG", "DEP"],
        [word_rows, 128, 128],
        [word_width, tag_width, dep_width],
        word_dropout=word_dropout,
        count_words=True,
        include_static_vectors=include_static_vectors,
        vector_width=vector_width,
    )
