"""Changed states of chains with a correct checksum, and what a restored chain is used for."""

import random
import struct

from causal_zigzag._core import Chain

M64 = 2**64 - 1
WORDS = [0, 1, 2, 3, 7, 63, 64, 65, 2**16, 2**31, 2**32 - 1, 2**32, 2**62, 2**63, M64]
FLOATS = [0.0, -0.0, 1.0, -1.0, float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 5e-324, 1e15, -1e15, 0.5]


def resealed(body: bytes) -> bytes:
    """The bytes with a correct checksum."""
    h = len(body)
    for (word,) in struct.iter_unpack("<Q", body + b"\0" * (-len(body) % 8)):
        z = (h ^ word) + 0x9E3779B97F4A7C15 & M64
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & M64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & M64
        h = z ^ (z >> 31)
    return body + h.to_bytes(8, "little")


def mutated_state(state: bytes, rng: random.Random) -> bytes:
    """The state with other bits, another word or number, or a piece removed or repeated."""
    body = bytearray(state[:-8])
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        at = rng.randrange(8, len(body))
        how = rng.randrange(5)
        if how == 0:
            body[at] ^= 1 << rng.randrange(8)
        elif how == 1:
            body[at : at + 4] = struct.pack("<I", rng.choice(WORDS) & 0xFFFFFFFF)
        elif how == 2:
            body[at : at + 8] = struct.pack("<Q", rng.choice(WORDS))
        elif how == 3:
            body[at : at + 8] = struct.pack("<d", rng.choice(FLOATS))
        elif rng.random() < 0.5:
            del body[at : at + rng.randrange(1, 20)]
        else:
            body[at:at] = body[at : at + rng.randrange(1, 20)]
    return resealed(bytes(body))


def used(chain: Chain) -> None:
    """Run a restored chain for a while, and take all its results."""
    chain.run(40, 0.05)
    chain.statistics()
    chain.classes()
    chain.batches()
    chain.edge_times()
    chain.draws()
    chain.trace()
    chain.graph().matrix()
    if not chain.statistics().dense_node >= 0:
        chain.save()
