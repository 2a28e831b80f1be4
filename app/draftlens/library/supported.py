"""Which model types and quantisations the installed mlx-lm can load, read from its source text without importing it."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from draftlens.library.config_values import shown

_NAME = re.compile(r"[A-Za-z0-9_.-]+")
_MODEL_CLASS = re.compile(r"^(class Model\b|Model\s*=)", re.M)
_TAKES_TEXT_CONFIG = re.compile(r"""["']text_config["'] not in""")
_CACHE_CLASS = re.compile(r"\b([A-Z]\w*Cache)\(")
_SIBLING = re.compile(r"^from \.(\w+) import|^from \. import (?:\w+, )*(\w+)", re.M)
_MLX_MODES = ("affine", "mxfp4", "mxfp8", "nvfp4")
_PACKED_FORMATS = ("nvfp4-pack-quantized", "mxfp4-pack-quantized", "pack-quantized")


def architecture(model_type: object) -> bool | None:
    """Whether mlx-lm has a model class for this `model_type`; None if its sources are not there to be asked."""
    if _package() is None:
        return None
    return isinstance(model_type, str) and loads_as(model_type) is not None


def loads_as(model_type: str) -> str | None:
    """The `model_type` to tell mlx-lm: the same, or that of the wrapper whose class also takes its bare text config."""
    if _source(model_type):
        return model_type
    wrapper = model_type.removesuffix("_text")
    return wrapper if wrapper != model_type and _TAKES_TEXT_CONFIG.search(_source(wrapper)) else None


def quantisation(config: Mapping[str, Any]) -> tuple[str, str | None]:
    """What the config says about quantisation: in words, and the clause that refuses it, if it must be refused."""
    block = config.get("quantization")
    if block is not None:
        return _mlx_quantisation(block)
    text = config.get("text_config")
    block = config.get("quantization_config")
    if block is None and isinstance(text, dict):
        block = text.get("quantization_config")
    if block is None:
        return "", None
    if not isinstance(block, dict):
        return "unknown", "has a quantization_config that is not an object"
    method = block.get("quant_method")
    if not isinstance(method, str):
        return "unknown", "has a quantization_config without quant_method, so how its weights are packed is unknown"
    return method, _refuse_method(method, block, config.get("model_type"))


def bits(config: Mapping[str, Any]) -> int | None:
    """Bits a weight of a config with MLX quantisation, None for any other."""
    for key in ("quantization", "quantization_config"):
        block = config.get(key)
        if isinstance(block, dict) and isinstance(block.get("bits"), int):
            return int(block["bits"])
    return None


def caches(model_type: str) -> frozenset[str]:
    """Names of the caches that a model of this type makes beside plain KV caches, from its class and those it wraps."""
    text = _source(loads_as(model_type) or "")
    wrapped = "".join(_source(name) for pair in _SIBLING.findall(text) for name in pair if name)
    return frozenset(_CACHE_CLASS.findall(text + wrapped)) - {"KVCache", "BaseCache"}


def unpacks_fp8(model_type: object) -> bool:
    """Whether the class of a type decodes fp8 weights itself."""
    return isinstance(model_type, str) and "weight_scale_inv" in _source(model_type)


def needed_keys(model_type: str) -> dict[str, str]:
    """The keys of config.json without which the class of this type cannot be made, and the type each must have."""
    return {key: kind for key, (kind, needed) in _fields(model_type).items() if needed}


def known_keys(model_type: str) -> dict[str, str]:
    """All keys that the class of this type reads, and the type each must have."""
    return {key: kind for key, (kind, _) in _fields(model_type).items()}


@cache
def rope_types() -> frozenset[str]:
    """The kinds of rope scaling that this common function knows."""
    folder = _package()
    if folder is None:
        return frozenset()
    text = (folder / "models" / "rope_utils.py").read_text(encoding="utf-8")
    known = re.findall(r"if rope_type (?:==|in) ([^:]+):", text)
    return frozenset(name for part in known for name in re.findall(r"[\"']([\w-]+)[\"']", part))


@cache
def _fields(model_type: str) -> dict[str, tuple[str, bool]]:
    """Key, type and whether there is no default; nothing where the class reads its config in a way of its own."""
    for node in ast.parse(_source(loads_as(model_type) or "")).body:
        if isinstance(node, ast.ClassDef) and node.name == "ModelArgs":
            if any(isinstance(part, ast.FunctionDef) and part.name == "from_dict" for part in node.body):
                return {}
            return {
                part.target.id: (ast.unparse(part.annotation), part.value is None)
                for part in node.body
                if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
            }
    return {}


def _mlx_quantisation(block: object) -> tuple[str, str | None]:
    if not isinstance(block, dict):
        return "unknown", "has a quantization entry that is not an object"
    bits, group, mode = block.get("bits"), block.get("group_size"), block.get("mode", "affine")
    if not isinstance(bits, int) or not isinstance(group, int):
        return "unknown", "has a quantization entry without whole numbers for bits and group_size"
    if mode not in _MLX_MODES:
        return "unknown", f"is quantised in a mode named {shown(mode)}, which is not supported here"
    words = f"{bits}-bit" if mode == "affine" else f"{bits}-bit {mode}"
    return f"{words}, group {group}", None


def _refuse_method(method: str, block: Mapping[str, Any], model_type: object) -> str | None:
    if method in ("bitnet", "mxfp4", "mxfp8"):
        return None
    if method == "compressed-tensors":
        packing = block.get("format")
        return (
            None
            if packing in _PACKED_FORMATS
            else f"is quantised as {method} {shown(packing)}, which is not supported here"
        )
    if method == "modelopt":
        nested = block.get("quantization")
        algorithm = (nested if isinstance(nested, dict) else block).get("quant_algo")
        return (
            None
            if algorithm == "NVFP4"
            else f"is quantised as {method} {shown(algorithm)}, which is not supported here"
        )
    if method == "fp8":
        if block.get("scale_fmt") == "ue8m0" and block.get("weight_block_size") == [32, 32]:
            return None
        # Other fp8 files are decoded by the model class itself, where it knows how.
        if unpacks_fp8(model_type):
            return None
    return f"is quantised as {method}, which is not supported here"


@cache
def _source(model_type: str) -> str:
    """The text of the module that defines the model class, or nothing."""
    folder = _package()
    name = _remapping().get(model_type, model_type)
    if folder is None or not _NAME.fullmatch(name):
        return ""
    try:
        text = (folder / "models" / f"{name}.py").read_text(encoding="utf-8")
    except OSError:
        return ""
    return text if _MODEL_CLASS.search(text) else ""


@cache
def _package() -> Path | None:
    spec = importlib.util.find_spec("mlx_lm")
    folder = Path(spec.origin).parent if spec is not None and spec.origin else None
    return folder if folder is not None and (folder / "models").is_dir() else None


@cache
def _remapping() -> dict[str, str]:
    """mlx-lm's own table of types that another type's class loads."""
    folder = _package()
    if folder is None:
        return {}
    for node in ast.parse((folder / "utils.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and any(_is_table(target) for target in node.targets):
            return {str(key): str(value) for key, value in ast.literal_eval(node.value).items()}
    return {}


def _is_table(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and target.id == "MODEL_REMAPPING"
