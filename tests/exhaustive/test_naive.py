"""The reference implementation agrees with published numbers, and its alternative methods with each other."""

import pytest

import naive

pytestmark = pytest.mark.nosanitize

DAGS = [1, 1, 3, 25, 543, 29281]  # OEIS A003024
CLASSES = [1, 1, 2, 11, 185, 8782]  # OEIS A007984
up_to_five = pytest.mark.parametrize("n", [0, 1, 2, 3, 4, pytest.param(5, marks=pytest.mark.long)])


@up_to_five
def test_numbers_of_dags_and_classes(n: int) -> None:
    assert len(naive.class_of_dag(n)) == DAGS[n]
    assert len(naive.classes(n)) == CLASSES[n]


@pytest.mark.parametrize(("n", "singletons"), [(3, 4), (4, 59), pytest.param(5, 2616, marks=pytest.mark.long)])
def test_numbers_of_classes_with_one_member(n: int, singletons: int) -> None:
    assert sum(len(members) == 1 for members in naive.classes(n).values()) == singletons


@pytest.mark.parametrize("n", range(5))
def test_meeks_rules_give_the_union_of_the_members(n: int) -> None:
    for dag, cpdag in naive.class_of_dag(n).items():
        assert naive.to_graph(naive.completion(naive.to_matrix(dag, n))) == cpdag


@pytest.mark.parametrize("n", range(5))
def test_dor_and_tarsi_find_an_extension_if_there_is_one(n: int) -> None:
    for pdag in naive.all_pdags(n):
        dag = naive.extension(naive.to_matrix(pdag, n))
        cpdag = None if dag is None else naive.class_of_dag(n).get(naive.to_graph(dag))
        assert cpdag == naive.class_of_pdag(pdag, n)


@up_to_five
def test_chickerings_conditions_are_single_edge_changes_of_members(n: int) -> None:
    for cpdag in naive.classes(n):
        listed = list(naive.Relations(naive.to_matrix(cpdag, n)).operators())
        assert len(set(listed)) == len(listed)
        assert set(listed) == set(naive.changes_of_members(cpdag, n))


@pytest.mark.parametrize("n", range(5))
def test_the_classical_way_gives_the_results_of_members(n: int) -> None:
    for cpdag in naive.classes(n):
        matrix = naive.to_matrix(cpdag, n)
        for operator, after in naive.changes_of_members(cpdag, n).items():
            assert naive.to_graph(naive.apply(matrix, operator)) == after


@up_to_five
@pytest.mark.parametrize("bound", [None, 2])
def test_counts_equal_the_numbers_of_listed_operators(n: int, bound: int | None) -> None:
    for cpdag in naive.classes(n):
        graph = naive.Relations(naive.to_matrix(cpdag, n))
        below = [bound is None or len(around) < bound for around in graph.adjacent]
        listed = [op.insert for op in graph.operators() if not op.insert or (below[op.x] and below[op.y])]
        assert graph.counts(bound) == (sum(listed), len(listed) - sum(listed))
