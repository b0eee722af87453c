"""AncestralPosterior: its answers agree with each other, and files give them again."""

from pathlib import Path

import numpy as np
import pytest

import causal_zigzag as cz
from mag_cases import hidden_causes_table


@pytest.fixture(scope="module")
def posterior() -> cz.AncestralPosterior:
    score = cz.GaussianBIC.from_covariance(np.cov(hidden_causes_table(4, 300, 2).T), 300, nodes=list("abcd"))
    return cz.sample_ancestral(score, steps=200_000, rng=1)


def test_the_edge_table_agrees_with_ancestors(posterior: cz.AncestralPosterior) -> None:
    table, causes = posterior.edge_table(), posterior.ancestors()
    assert len(table) == 6
    for row in table.itertuples():
        assert row.x_causes_y == causes.loc[row.x, row.y]
        assert row.y_causes_x == causes.loc[row.y, row.x]
        assert row.x_causes_y + row.y_causes_x + row.neither == pytest.approx(1)
        # All members of a class share what it forces; graphs at regular steps are a sample of the steps.
        assert row.forced_forward <= row.x_causes_y + 0.03
        assert row.forced_backward <= row.y_causes_x + 0.03
        assert row.forced_neither <= row.neither + 0.03
        assert row.difference <= posterior.diagnostics().largest_difference
    claims = table[["x_causes_y", "y_causes_x"]].max(axis=1)
    assert claims.is_monotonic_decreasing


def test_top_classes_are_pags_with_their_scores(posterior: cz.AncestralPosterior) -> None:
    top = posterior.top(1000)
    assert sum(p for _, p, _ in top) == pytest.approx(1)
    assert len({g for g, _, _ in top}) == len(top)
    assert all(isinstance(g, cz.PAG) for g, _, _ in top)
    probabilities = [p for _, p, _ in top]
    assert probabilities == sorted(probabilities, reverse=True)
    for graph, _, score in top[:20]:  # a PAG without <-> or o-> that is a DAG's class has the DAG's score
        if not graph.edge_count:
            assert score == pytest.approx(posterior.score.total(cz.CPDAG.empty("abcd")))


def test_statements_are_shares_of_graphs(posterior: cz.AncestralPosterior) -> None:
    causes, joined = posterior.ancestors(), posterior.edge_table().set_index(["x", "y"])["joined"]
    adjacent, ancestor = cz.statements.adjacent("a", "b"), cz.ancestor("b", "c")
    assert posterior.probability_that(adjacent) == pytest.approx(joined[("a", "b")], abs=0.03)
    assert posterior.probability_that(ancestor) == pytest.approx(causes.loc["b", "c"], abs=0.03)
    assert posterior.probability_that(~ancestor) == pytest.approx(1 - posterior.probability_that(ancestor))
    either = posterior.probability_that(adjacent | ancestor)
    both = posterior.probability_that(adjacent & ancestor)
    assert either + both == pytest.approx(posterior.probability_that(adjacent) + posterior.probability_that(ancestor))
    as_function = posterior.probability_that(lambda mag: "b" in mag.ancestors("c"))
    assert as_function == pytest.approx(posterior.probability_that(ancestor))
    forced = posterior.probability_that(cz.statements.certain_ancestor("b", "c"))
    table = posterior.edge_table().set_index(["x", "y"])
    assert forced == pytest.approx(table.loc[("b", "c"), "forced_forward"])


@pytest.mark.parametrize("statement", [cz.statements.directed("a", "b"), "a -> b", lambda _: 1])
def test_statements_about_other_graphs_are_refused(posterior: cz.AncestralPosterior, statement: object) -> None:
    with pytest.raises(cz.SettingsError):
        posterior.probability_that(statement)


def test_a_file_gives_the_same_answers(posterior: cz.AncestralPosterior, tmp_path: Path) -> None:
    posterior.save(path := tmp_path / "hidden.czz")
    again = cz.load(path)
    assert isinstance(again, cz.AncestralPosterior)
    assert again.summary() == posterior.summary()
    assert again.edge_table().equals(posterior.edge_table())
    assert again.top(5) == posterior.top(5)
    assert again.diagnostics() == posterior.diagnostics()


def test_a_damaged_file_is_refused(posterior: cz.AncestralPosterior, tmp_path: Path) -> None:
    posterior.save(path := tmp_path / "hidden.czz")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(cz.FileError, match="is damaged"):
        cz.load(path)


def test_effects_are_refused(posterior: cz.AncestralPosterior) -> None:
    with pytest.raises(cz.SettingsError, match="a on b"):
        posterior.effect("a", "b")


def test_the_report_has_the_verdict_all_pairs_and_pictures(posterior: cz.AncestralPosterior, tmp_path: Path) -> None:
    posterior.report(path := tmp_path / "hidden.html")
    page = path.read_text(encoding="utf-8")
    assert posterior.diagnostics().verdict in page
    assert page.count('<th scope="row">') == 6
    assert page.count("<svg") == 3
    assert "no proof of a hidden common cause" in page
