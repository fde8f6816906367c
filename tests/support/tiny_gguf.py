"""A language model of a few thousand random weights, as a GGUF file."""

from pathlib import Path

import gguf
import numpy

WINDOW = 512
LETTERS = "▁abcdefghijklmnopqrstuvwxyz.,?!<>/"
LAYERS = 2
_WIDTH, _HEADS, _INNER = 32, 2, 64
_TEMPLATE = (
    "{% for message in messages %}<{{ message.role }}>{{ message.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)


def write_tiny_gguf(path: Path, window: int = WINDOW) -> Path:
    """Write a llama of two layers that generates letters, and never stops by itself."""
    bytes_ = [f"<0x{number:02X}>" for number in range(256)]
    tokens = ["<unk>", "<s>", "</s>", *bytes_, *LETTERS]
    kinds = [2, 3, 3, *[6] * 256, *[1] * len(LETTERS)]  # unknown, control, byte, normal
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(window)
    writer.add_embedding_length(_WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(_INNER)
    writer.add_head_count(_HEADS)
    writer.add_head_count_kv(1)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(_TEMPLATE)
    random = numpy.random.default_rng(7)

    def add(name: str, *shape: int, scale: float = 0.2) -> None:
        writer.add_tensor(name, (random.standard_normal(shape) * scale).astype(numpy.float32))

    add("token_embd.weight", len(tokens), _WIDTH)
    heights = {"attn_q": _WIDTH, "attn_k": _WIDTH // 2, "attn_v": _WIDTH // 2, "attn_output": _WIDTH}
    heights |= {"ffn_gate": _INNER, "ffn_up": _INNER}
    for block in (f"blk.{number}" for number in range(LAYERS)):
        for part, height in heights.items():
            add(f"{block}.{part}.weight", height, _WIDTH)
        add(f"{block}.ffn_down.weight", _WIDTH, _INNER)
        for norm in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"{block}.{norm}.weight", numpy.ones(_WIDTH, numpy.float32))
    writer.add_tensor("output_norm.weight", numpy.ones(_WIDTH, numpy.float32))
    output = random.standard_normal((len(tokens), _WIDTH)).astype(numpy.float32) * 3
    output[: -len(LETTERS)] = 0  # makes letters far likelier than bytes and the end
    writer.add_tensor("output.weight", output)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
