"""The speculative decoding engine on MLX: no Qt, no database, no network, no printing.

Importing this package is what starts MLX, so it is done on the engine thread and nowhere else; a fast BLAS has to be in
the process before that.
"""

from draftlens import native

native.prepare()

import mlx.core as mx  # noqa: E402  (the BLAS above must come first)

if not native.has_compiler():
    mx.disable_compile()
