"""Judge what a folder is, from config.json and the headers of its weights, in words and in milliseconds."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from draftlens.core.errors import UserError
from draftlens.library import (
    adapters,
    bound_targets,
    chat_template,
    config_keys,
    config_values,
    contents,
    drafter_facts,
    drafter_kinds,
    gguf_header,
    hub_cache,
    lookalikes,
    small_file,
    supported,
    tensor_file,
    weight_files,
    wholeness,
)
from draftlens.library.config_values import printable
from draftlens.library.lookalikes import FETCH_AGAIN, MLX_VERSION, PICK_STANDALONE
from draftlens.library.roles import Role, Verdict
from draftlens.library.tensor_file import TensorInfo

Config = dict[str, Any]

_BEGUN = ("*.safetensors", "*.incomplete", "blobs/*.incomplete", ".cache/huggingface/download/*.incomplete")
_MISSING = "It does not exist."
_DFLASH_NAMES = "(Qwen 3.5 DFlash, LFM2 DSpark, Muse Glimmer assistant or Laguna DFlash)"
_DFLASH_ROLES = (Role.DFLASH, Role.DFLASH2, Role.DSPARK, Role.MUSE)


def inspect(path: Path) -> Verdict:
    """The verdict on a folder, or on a lone config.json fetched before the weights. Never raises, never runs code."""
    try:
        return _inspect(path)
    except OSError as error:
        named = Path(str(error.filename or path))
        subject = "It" if named == path else f"Its {printable(named.name)}"
        return _not_a_model(
            f"{subject} cannot be read: {error.strerror or error}.", "Check that the files may be read."
        )


def require_standalone(path: Path, as_draft: bool = False) -> Verdict:
    """The verdict on something to be loaded on its own, before any weight is read.

    Raises:
        UserError: it is not a complete chat or base model.
    """
    verdict = inspect(path)
    name = f"--draft-model {path}" if as_draft else str(path)
    if verdict.role.standalone and path.is_file():
        raise UserError(
            f"{name} is not a model: it is a file, not a model folder.",
            f"Choose the folder that holds it, {path.parent}.",
        )
    verdict = contents.held(path, verdict)
    if verdict.role.standalone:
        return verdict
    if verdict.role in _DFLASH_ROLES:
        if as_draft:
            raise UserError(
                f"{name} is a DFlash-family speculative drafter {_DFLASH_NAMES}, not a standalone model, and Draftlens "
                "does not construct the DFlash round loop for it here.",
                "Use --prompt-lookup, or a small complete model with the target's vocabulary.",
            )
        raise UserError(
            f"{name} is a DFlash-family speculative drafter checkpoint {_DFLASH_NAMES}, not a standalone model.",
            "Choose the model it was made for as the target instead.",
        )
    if verdict.reason == _MISSING:
        raise UserError(f"{name} does not exist.", verdict.next)
    clause = verdict.reason[0].lower() + verdict.reason[1:]
    raise UserError(f"{name} {verdict.role.phrase}: {clause}", verdict.next or None)


def _inspect(path: Path) -> Verdict:
    if not path.exists():
        return _not_a_model(_MISSING, "Check the path, or fetch the model first.")
    if not path.is_dir():
        # What is neither, such as a device or a pipe, is never read.
        if path.is_file() and path.suffix == ".json":
            return _judge(path, folder=None)
        if path.is_file() and path.suffix == ".gguf":
            return _gguf(path)
        return _not_a_model("It is a file, not a model folder.", "Choose the folder that holds config.json.")
    stray = hub_cache.repo_of_snapshot(path) and next((p for p in path.iterdir() if hub_cache.outside(p, path)), None)
    if stray:
        name = printable(stray.name)
        reason = f"Its {name} is a link that leads out of the cache, and such a file is not read."
        return Verdict(Role.UNSUPPORTED, reason, FETCH_AGAIN, (name,))
    if not any(path.iterdir()):
        return _not_a_model("It is an empty folder.", "Choose the folder that holds config.json.")
    adapter = adapters.judge(path)
    if adapter is not None:
        return adapter
    if (pipeline := lookalikes.pipeline(path)) is not None:
        return Verdict(*pipeline)
    if (path / "config.json").is_file():
        return _judge(path / "config.json", folder=path)
    return _without_config(path)


def _without_config(folder: Path) -> Verdict:
    if (folder / "config.json").is_symlink() and not (folder / "config.json").exists():
        return _incomplete("Its config.json is a link to a file that is gone.", ("config.json",))
    if any(file for pattern in _BEGUN for file in folder.glob(pattern)):
        return _incomplete("It has no config.json.", ("config.json",))
    inside = next(iter(sorted(folder.glob("*/config.json"))), None) or next(
        iter(sorted(folder.glob("snapshots/*/config.json"))), None
    )
    if inside is not None:
        return _not_a_model("It has no config.json itself.", f"Perhaps {printable(str(inside.parent))} is meant.")
    inner = next(iter(sorted(folder.glob("*.gguf"))), None)
    if inner is not None:
        return _not_a_model(
            "It holds GGUF files, and only model folders can be loaded.",
            f"Import one of them, such as {printable(inner.name)}.",
        )
    return _not_a_model("It has no config.json.", "Choose the folder that holds config.json.")


def _gguf(path: Path) -> Verdict:
    try:
        header = gguf_header.read(path)
    except UserError as error:
        return _not_a_model(f"It cannot be read as GGUF: {error.sentence}", error.next_step or "")
    size = path.stat().st_size
    if (refused := header.refusal) is not None:
        reason, step = f"It {refused}.", "Use this model's MLX or safetensors version instead."
        return Verdict(Role.UNSUPPORTED, reason, step, architecture=header.architecture, size=size)
    return Verdict(
        role=Role.GGUF,
        reason="It is a GGUF file, which is imported once before it is loaded.",
        next="Import it: draftlens models import, or Add folder or GGUF in the window.",
        evidence=(f"general.architecture {header.architecture!r}",),
        architecture=header.architecture,
        quantisation=header.quantisation,
        size=size,
    )


def _judge(config_file: Path, folder: Path | None) -> Verdict:
    name = config_file.name
    try:
        text = small_file.content(config_file)
    except ValueError:
        return _not_a_model(f"Its {name} is too large to be one.", "Fetch that file again.")
    if not text.strip(b"\0 \t\r\n"):
        return _incomplete(f"Its {name} is empty.", (name,))
    if text.startswith(tensor_file.LFS_POINTER):
        return _incomplete(f"Its {name} is only a Git LFS pointer, not the file itself.", (name,))
    try:
        config = small_file.decoded(text)
    except ValueError:
        return _not_a_model(f"Its {name} is not valid JSON.", "Fetch that file again.")
    if not isinstance(config, dict):
        kind = config_values.kind(config)
        return _not_a_model(f"Its {name} holds a {kind}, not an object.", "Fetch that file again.")
    config = config_values.clipped(config)
    names = drafter_kinds.architectures(config)
    architecture = names[0] if names else str(config.get("model_type") or "")
    quantisation, refusal = supported.quantisation(config)
    found = drafter_kinds.by_config(config)
    if found is not None:
        return _drafter(found, config, folder, architecture, quantisation)
    refused = lookalikes.encoder(config, names, folder) or _unsupported(config, names, refusal)
    refused = refused or lookalikes.by_class(names, folder)
    if refused is not None:
        role, reason, step, evidence = refused
        return Verdict(role, reason, step, evidence, architecture, quantisation)
    if folder is None:
        warnings = ("judged by its config alone; the weights may still show a drafter",)
        reason, model_type = "It declares a complete model of a supported type.", config["model_type"]
        return Verdict(
            Role.CHAT, reason, "", (f"model_type {model_type!r}",), architecture, quantisation, warnings=warnings
        )
    return _by_weights(folder, config, architecture, quantisation)


def _by_weights(folder: Path, config: Config, architecture: str, quantisation: str) -> Verdict:
    files = weight_files.find(folder)
    if files.missing or not files.used:
        other = wholeness.foreign_weights(folder, files)
        if other is not None:
            reason = f"It has its weights in {other}, and only safetensors files can be loaded."
            return Verdict(Role.UNSUPPORTED, reason, MLX_VERSION, (other,))
        return _incomplete(*wholeness.missing_files(folder, files))
    try:
        tensors, repeated = weight_files.read_tensors(files)
    except UserError as error:
        return _incomplete(f"It has a damaged file: {error.sentence}", ())
    found = drafter_kinds.by_tensors(tensors.keys())
    if found is not None:
        return _drafter(found, config, folder, architecture, quantisation)
    if (refused := lookalikes.by_tensors(config, tensors.keys())) is not None:
        return Verdict(*refused, architecture, quantisation, size=files.size)
    lack = wholeness.lack(config, tensors)
    if lack is not None:
        return _incomplete(f"It {lack}.", ())
    if (fault := wholeness.tokenizer_fault(folder)) is not None:
        return _incomplete(*fault)
    chat = chat_template.of_folder(folder) is not None
    held = f"{len(tensors):,} tensors in {len(files.used)} file{'s' * (len(files.used) != 1)}"
    stray = (f"{name} does not belong to the model and is not loaded" for name in files.stray)
    warnings = [*files.notes, *stray]
    if repeated:
        more = f" and {len(repeated) - 1:,} more" if len(repeated) > 1 else ""
        warnings.append(f"{repeated[0]}{more} is in two of its files, and only one of the two is loaded")
    if config.get("auto_map"):
        warnings.append("it names Python code of its own, which is never run")
    return Verdict(
        role=Role.CHAT if chat else Role.BASE,
        reason="It is complete and has a chat template." if chat else "It is complete and has no chat template.",
        evidence=(f"model_type {config['model_type']!r}", held),
        architecture=architecture,
        quantisation=quantisation or _stored_type(tensors),
        model_type=str(config["model_type"]),
        warnings=tuple(warnings),
        size=files.size,
        parameters=wholeness.parameters(tensors, supported.bits(config)),
        weight_files=files.used,
    )


def _unsupported(
    config: Config, names: tuple[str, ...], refusal: str | None
) -> tuple[Role, str, str, tuple[str, ...]] | None:
    model_type = config.get("model_type")
    own_code = config.get("model_file")
    if own_code is not None:
        named = own_code if isinstance(own_code, str) else config_values.shown(own_code)
        reason = f"It can only be built by Python code of its own ({named}), which is never run."
        return Role.UNSUPPORTED, reason, "Choose a model of a built-in type.", ("model_file",)
    if "model_type" not in config:
        unnamed = Role.UNSUPPORTED, "Its config.json names no model_type.", MLX_VERSION, ("no model_type",)
        return lookalikes.without_type(config) or unnamed
    if not isinstance(model_type, str):
        reason = f"Its config.json has a model_type that is a {config_values.kind(model_type)}, not a name."
        return Role.UNSUPPORTED, reason, MLX_VERSION, ("model_type",)
    if supported.architecture(model_type) is False:
        needs = " It needs Python code of its own, which is never run." if config.get("auto_map") else ""
        reason = f"It is of type {model_type!r}, which this version of mlx-lm does not know.{needs}"
        return Role.UNSUPPORTED, reason, "Choose a model of another type.", (f"model_type {model_type!r}",)
    task = next((name for name in names if re.search(r"For(?!CausalLM|ConditionalGeneration)[A-Z]\w+", name)), None)
    if task is not None:
        return Role.UNSUPPORTED, f"It is a {task}, which does not write text.", PICK_STANDALONE, (task,)
    if refusal is not None:
        return Role.UNSUPPORTED, f"It {refusal}.", MLX_VERSION, ("quantization_config",)
    wrong = config_keys.wrong(config, model_type)
    return wrong and (Role.UNSUPPORTED, f"Its config.json {wrong[1]}.", "Fetch that file again.", (wrong[0],))


def _drafter(
    found: drafter_kinds.Found, config: Config, folder: Path | None, architecture: str, quantisation: str
) -> Verdict:
    role, evidence = found
    tensors: dict[str, TensorInfo] | None = None
    size = 0
    if folder is not None:
        files = weight_files.find(folder)
        size = files.size
        with contextlib.suppress(UserError):
            tensors = weight_files.read_tensors(files)[0] if files.used else None
    target = bound_targets.target_of("" if folder is None else hub_cache.display_name(folder), config)
    return Verdict(
        role=role,
        reason="It borrows parts of the one target it was made for and cannot write text alone.",
        next=PICK_STANDALONE,
        evidence=(evidence,),
        architecture=architecture,
        quantisation=quantisation or (_stored_type(tensors) if tensors else ""),
        size=size,
        facts=drafter_facts.facts(config, tensors),
        target=target,
    )


def _incomplete(reason: str, missing: tuple[str, ...]) -> Verdict:
    return Verdict(Role.INCOMPLETE, reason, FETCH_AGAIN, missing=missing)


def _not_a_model(reason: str, step: str) -> Verdict:
    return Verdict(Role.NOT_A_MODEL, reason, step)


def _stored_type(tensors: Mapping[str, TensorInfo]) -> str:
    largest = max(tensors.values(), key=lambda info: info.end - info.start)
    return {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}.get(largest.dtype, largest.dtype)
