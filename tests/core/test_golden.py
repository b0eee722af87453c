"""Short seeded chains give the stored digests: one seed, one result, whatever compiled the core."""

import json

import numpy as np
import pytest

from golden import FILE, Golden, all_cases, digest, run

CASES = all_cases()
STORED = json.loads(FILE.read_text(encoding="utf-8"))


def test_every_case_is_stored_and_no_two_are_alike() -> None:
    assert [*STORED] == [str(case) for case in CASES]
    assert len({*STORED.values()}) == len(CASES)


@pytest.mark.parametrize("case", [c if c.n <= 513 else pytest.param(c, marks=pytest.mark.long) for c in CASES], ids=str)
def test_the_digest_is_the_stored_one(case: Golden) -> None:
    chains = run(case)
    made = [chain.statistics() for chain in chains]
    assert [s.jumps for s in made] == [case.jumps] * 2
    assert 0 < sum(s.inserts for s in made) < 2 * case.jumps  # the others are deletes
    assert digest(chains) == STORED[str(case)]


def test_the_digest_depends_on_the_last_bit() -> None:
    case = CASES[0]
    first, second = run(case)

    class Changed:
        """The chain with one class time changed by one unit in the last place."""

        def __getattr__(self, name: str) -> object:
            return getattr(first, name)

        def classes(self) -> dict[str, np.ndarray]:
            found = dict(first.classes())
            found["time"] = np.array(found["time"])
            found["time"][-1] = np.nextafter(found["time"][-1], np.inf)
            return found

    assert digest([Changed(), second]) != STORED[str(case)]  # type: ignore[list-item]
