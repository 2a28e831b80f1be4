"""An imported GGUF is the model it was made from, or is refused by name before anything is written."""

from __future__ import annotations

import contextlib
import json
import struct
from collections.abc import Callable
from pathlib import Path

import gguf as container
import mlx.core as mx
import numpy as np
import numpy.typing as npt
import pytest
from gguf import GGMLQuantizationType
from mlx_lm.utils import load_model

from draftlens.core.errors import UserError
from draftlens.library import checkpoint, gguf, gguf_layout
from draftlens.library.roles import Role
from library.toy_gguf import HEAD_DIM, Toy, permuted

FFN_PARTS = ("ffn_gate", "ffn_up")


def _quiet(_sentence: str, _fraction: float | None) -> None:
    pass


@pytest.fixture
def imported(tmp_path: Path) -> Callable[..., Path]:
    def run(toy: Toy, dtype: str = "F32") -> Path:
        folder = tmp_path / "model"
        folder.mkdir()
        gguf.import_gguf(toy.write(tmp_path / "toy.gguf"), folder, _quiet, dtype)
        return folder

    return run


def _refusal(tmp_path: Path, toy: Toy) -> str:
    """The sentence of a refused import, which must not have written any weights."""
    folder = tmp_path / "model"
    folder.mkdir()
    with pytest.raises(UserError) as caught:
        gguf.import_gguf(toy.write(tmp_path / "toy.gguf"), folder, _quiet, "F32")
    assert list(folder.glob("*.safetensors")) == []
    return str(caught.value)


@pytest.mark.parametrize("architecture", ["llama", "qwen2", "qwen3"])
def test_logits_are_those_of_the_original_checkpoint(imported: Callable[..., Path], architecture: str) -> None:
    """Four heads share two key-value heads: a wrong row order gives other logits, not an error."""
    toy = Toy(architecture)
    model, config = load_model(imported(toy))
    tokens = mx.array([[1, 70, 80, 90, 100, 5]])
    ours = model(tokens)
    model.load_weights([(name, mx.array(values)) for name, values in toy.weights().items()])
    assert np.array_equal(np.array(ours), np.array(model(tokens)))
    assert config["vocab_size"] == len(toy.tokens)
    assert config["rms_norm_eps"] == 1e-5


def test_every_fourth_layer_of_smollm3_knows_no_positions(imported: Callable[..., Path]) -> None:
    """Its rows are stored in llama's order, and the container does not say which layers are not turned."""
    toy = Toy("smollm3", layers=5)
    toy.metadata["tokenizer.ggml.pre"] = "smaug-bpe"
    folder = imported(toy)
    model, config = load_model(folder)
    assert [int(layer.self_attn.rope(mx.ones((1, 4, 2, HEAD_DIM))).std().item() > 0) for layer in model.layers] == [
        1, 1, 1, 0, 1,
    ]  # fmt: skip
    tokens = mx.array([[1, 70, 80, 90, 100, 5]])
    ours = model(tokens)
    model.load_weights([(name, mx.array(values)) for name, values in toy.weights().items()])
    assert np.array_equal(np.array(ours), np.array(model(tokens)))
    assert (config["model_type"], config["no_rope_layer_interval"]) == ("smollm3", 4)
    assert checkpoint.inspect(folder).role is Role.CHAT


@pytest.mark.parametrize("architecture", ["gemma", "gemma2", "gemma3"])
def test_gemmas_norms_come_back_to_where_its_class_wants_them(imported: Callable[..., Path], architecture: str) -> None:
    window = {"gemma3.attention.sliding_window": 4, "gemma3.attention.sliding_window_pattern": 2}
    toy = Toy(architecture, metadata=dict(window) if architecture == "gemma3" else {})
    model, config = load_model(imported(toy))
    tokens = mx.array([[1, 70, 80, 90, 100, 5]])
    ours = np.array(model(tokens))
    model.load_weights([(name, mx.array(values)) for name, values in toy.weights().items()])
    # Stored as 1 + w, a norm loses the last bits of w.
    assert np.abs(ours - np.array(model(tokens))).max() < 1e-4
    assert config["query_pre_attn_scalar"] == HEAD_DIM


def test_undoing_the_row_order_gives_the_rows_back() -> None:
    values = np.arange(6 * HEAD_DIM * 3, dtype=np.float32).reshape(6 * HEAD_DIM, 3)
    assert np.array_equal(gguf_layout.unpermute(permuted(values, 6), 6), values)


def _q4_k_block(block: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
    """One Q4_K block of 144 bytes read by the letter: d, dmin, eight 6-bit scales and minima, 256 nibbles."""
    d, dmin = (float(x) for x in block[:4].view(np.float16))
    packed = [int(x) for x in block[4:16]]
    values = []
    for sub in range(8):
        if sub < 4:
            scale, minimum = packed[sub] & 63, packed[sub + 4] & 63
        else:
            scale = (packed[sub + 4] & 15) | (packed[sub - 4] >> 6) << 4
            minimum = (packed[sub + 4] >> 4) | (packed[sub] >> 6) << 4
        nibbles = block[16 + 32 * (sub // 2) : 48 + 32 * (sub // 2)]
        for byte in nibbles:
            quant = int(byte) >> 4 if sub % 2 else int(byte) & 15
            values.append(d * scale * quant - dmin * minimum)
    return np.array(values)


def test_q4_k_uses_the_scale_of_each_sub_block() -> None:
    blocks = np.random.default_rng(3).integers(0, 256, (16, 144), dtype=np.uint8)
    blocks[:, :4] = np.random.default_rng(4).uniform(0.5, 2, (16, 2)).astype(np.float16).view(np.uint8)
    decoded = container.quants.dequantize(blocks, GGMLQuantizationType.Q4_K)
    expected = np.stack([_q4_k_block(block) for block in blocks])
    assert np.allclose(decoded, expected, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("kind", ["Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "F16", "BF16"])
def test_a_quantised_file_holds_what_the_reference_decoder_says(imported: Callable[..., Path], kind: str) -> None:
    toy = Toy()
    name, number = "blk.0.ffn_up.weight", GGMLQuantizationType[kind]
    original = toy.weights()["model.layers.0.mlp.up_proj.weight"]
    block = container.quants.quantize(original, number)
    toy.raw[name] = (block, number)
    weights = mx.load(str(imported(toy) / "model.safetensors"))
    assert isinstance(weights, dict)
    decoded = np.array(weights["model.layers.0.mlp.up_proj.weight"])
    assert np.array_equal(decoded, container.quants.dequantize(block, number))
    assert np.abs(decoded - original).max() < 0.15


@pytest.mark.parametrize("kind", sorted(kind.name for kind in container.quants._type_traits))
def test_every_type_of_the_gguf_package_arrives_as_its_decoder_says(imported: Callable[..., Path], kind: str) -> None:
    number = GGMLQuantizationType[kind]
    values, size = container.GGML_QUANT_SIZES[number]
    # Bytes below 60 make no scale infinite, in whichever place of a block it stands.
    data = np.random.default_rng(7).integers(0, 60, (64, 256 // values * size), dtype=np.uint8)
    wide = {f"blk.{layer}.{part}.weight": np.ones((256, 64), np.float32) for layer in (0, 1) for part in FFN_PARTS}
    toy = Toy(
        metadata={"llama.feed_forward_length": 256},
        extra=wide | {"blk.1.ffn_down.weight": np.ones((64, 256), np.float32)},
        raw={"blk.0.ffn_down.weight": (data, number)},
    )
    weights = mx.load(str(imported(toy) / "model.safetensors"))
    assert isinstance(weights, dict)
    arrived = np.array(weights["model.layers.0.mlp.down_proj.weight"])
    assert np.array_equal(arrived, container.quants.dequantize(data, number))
    assert np.ptp(arrived) > 0


def test_bfloat16_keeps_what_float16_cannot_hold(imported: Callable[..., Path]) -> None:
    toy = Toy()
    values = np.full((96, 64), 1e5, dtype=np.float32)
    values[0, :2] = (-3e30, 1e-10)
    toy.raw["blk.0.ffn_up.weight"] = (
        container.quants.quantize(values, GGMLQuantizationType.BF16),
        GGMLQuantizationType.BF16,
    )
    weights = mx.load(str(imported(toy) / "model.safetensors"))
    assert isinstance(weights, dict)
    assert np.allclose(np.array(weights["model.layers.0.mlp.up_proj.weight"]), values, rtol=1e-2, atol=0)


def test_a_value_too_large_for_float16_is_refused_there(imported: Callable[..., Path]) -> None:
    toy = Toy(extra={"blk.1.ffn_down.weight": np.full((64, 96), 1e5, dtype=np.float32)})
    with pytest.raises(UserError, match=r"blk\.1\.ffn_down\.weight holds values too large for float16"):
        imported(toy, "F16")


def test_a_weight_that_is_no_number_is_refused(imported: Callable[..., Path]) -> None:
    with pytest.raises(UserError, match=r"output_norm\.weight holds values that are not numbers"):
        imported(Toy(extra={"output_norm.weight": np.full(64, np.nan, dtype=np.float32)}))


def test_float16_halves_the_file_and_says_so(imported: Callable[..., Path]) -> None:
    folder = imported(Toy(), "F16")
    weights = mx.load(str(folder / "model.safetensors"))
    assert isinstance(weights, dict)
    assert {array.dtype for array in weights.values()} == {mx.float16}
    assert json.loads((folder / "config.json").read_text())["torch_dtype"] == "float16"


def test_a_type_without_decoder_is_named_with_its_tensors(tmp_path: Path) -> None:
    block = np.zeros((96, 80), dtype=np.uint8)
    kind = GGMLQuantizationType.Q8_1
    names = ("blk.0.ffn_up.weight", "blk.1.ffn_up.weight")
    sentence = _refusal(tmp_path, Toy(raw=dict.fromkeys(names, (block, kind))))
    assert "Q8_1 in blk.0.ffn_up.weight and 1 more" in sentence


@pytest.mark.parametrize(
    ("number", "sentence"),
    [(187, "holds a tensor of type 187, which is not known here"), (3_000_000_000, "is damaged or cut short")],
)
def test_a_type_that_no_decoder_knows_is_named_by_its_number(tmp_path: Path, number: int, sentence: str) -> None:
    whole = Toy().write(tmp_path / "toy.gguf").read_bytes()
    name = b"blk.0.attn_q.weight"
    at = whole.index(name) + len(name) + 4 + 2 * 8
    (tmp_path / "newer.gguf").write_bytes(whole[:at] + struct.pack("<I", number) + whole[at + 4 :])
    with pytest.raises(UserError, match=sentence):
        gguf.import_gguf(tmp_path / "newer.gguf", tmp_path, _quiet, "F32")
    assert list(tmp_path.glob("*.safetensors")) == []


def test_an_untied_head_becomes_lm_head(imported: Callable[..., Path]) -> None:
    toy = Toy()
    toy.extra["output.weight"] = np.ones((len(toy.tokens), 64), dtype=np.float32)
    folder = imported(toy)
    weights = mx.load(str(folder / "model.safetensors"))
    assert isinstance(weights, dict)
    assert "lm_head.weight" in weights
    assert json.loads((folder / "config.json").read_text())["tie_word_embeddings"] is False


def test_llama_3_position_factors_become_the_published_rule(imported: Callable[..., Path]) -> None:
    toy = Toy(metadata={"llama.rope.freq_base": 500000.0})
    toy.extra["rope_freqs.weight"] = _llama3_factors(32.0)
    config = json.loads((imported(toy) / "config.json").read_text())
    assert config["rope_theta"] == 500000.0
    assert config["rope_scaling"] == {
        "rope_type": "llama3",
        "factor": 32.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    }


def _llama3_factors(factor: float) -> npt.NDArray[np.float32]:
    """As the converter computes them, one frequency after the other."""
    result = []
    for i in range(0, HEAD_DIM, 2):
        wavelength = 2 * np.pi * 500000.0 ** (i / HEAD_DIM)
        if wavelength < 8192 / 4:
            result.append(1.0)
        elif wavelength > 8192:
            result.append(factor)
        else:
            smooth = (8192 / wavelength - 1) / (4 - 1)
            result.append(1 / ((1 - smooth) / factor + smooth))
    return np.array(result, dtype=np.float32)


@pytest.mark.parametrize(
    ("toy", "sentence"),
    [
        (Toy("falcon"), "architecture 'falcon' cannot be imported; these can: gemma, gemma2, gemma3, llama"),
        (Toy(metadata={"llama.expert_count": 8}), "mixture-of-experts llama"),
        (Toy(metadata={"split.count": 3}), "one of 3 parts of a split model"),
        (Toy(metadata={"llama.block_count": None}), "lacks llama.block_count"),
        (Toy(metadata={"llama.block_count": 0}), "llama.block_count = 0"),
        (Toy(metadata={"llama.block_count": 3}), "lacks blk.2.attn_norm.weight"),
        (Toy(metadata={"llama.rope.dimension_count": 8}), "rotates only a part of each head"),
        (Toy(metadata={"llama.rope.scaling.type": "longrope", "llama.rope.scaling.factor": 2.0}), "'longrope'"),
        (Toy(drop=("blk.1.ffn_up.weight",)), "lacks blk.1.ffn_up.weight"),
        (Toy(extra={"blk.0.strange.weight": np.ones(4, dtype=np.float32)}), "blk.0.strange.weight"),
        (Toy(extra={"rope_freqs.weight": np.linspace(1, 9, 8, dtype=np.float32)}), "follows no rule known here"),
        (Toy(metadata={"tokenizer.ggml.model": "bert"}), "only byte-level BPE"),
        (Toy(metadata={"tokenizer.ggml.model": None}), "holds no tokenizer"),
        (Toy(metadata={"tokenizer.ggml.pre": "default"}), "cuts text by the rule 'default'"),
        (Toy(metadata={"tokenizer.ggml.merges": None}), "holds no tokenizer merges"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_imported_is_refused_before_any_weight(tmp_path: Path, toy: Toy, sentence: str) -> None:
    assert sentence in _refusal(tmp_path, toy)


@pytest.mark.parametrize("kept", [0, 3, 4, 20, 700, 5000, -40])
def test_a_file_cut_short_is_a_sentence(tmp_path: Path, kept: int) -> None:
    path = Toy().write(tmp_path / "toy.gguf")
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(UserError, match=r"is not a GGUF file|is damaged|damaged or cut short"):
        gguf.import_gguf(path, tmp_path, _quiet)


def test_every_byte_flipped_in_the_head_is_a_sentence_or_harmless(tmp_path: Path) -> None:
    content = bytearray(Toy().write(tmp_path / "toy.gguf").read_bytes())
    for position in range(4, 3000, 97):
        damaged = bytearray(content)
        damaged[position] ^= 0xFF
        (tmp_path / "damaged.gguf").write_bytes(damaged)
        folder = tmp_path / str(position)
        folder.mkdir()
        with contextlib.suppress(UserError):
            gguf.import_gguf(tmp_path / "damaged.gguf", folder, _quiet)


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no\.gguf cannot be read: No such file"):
        gguf.import_gguf(tmp_path / "no.gguf", tmp_path, _quiet)
