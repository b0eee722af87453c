"""Knowledge as JSON, YAML and Tetrad's knowledge file, and back."""

import re
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causal_zigzag as cz

FULL = cz.Knowledge(
    tiers=[["age", "sex"], ["bmi"], ..., ["disease"]],
    required=[("age", "bmi")],
    forbidden=[("sex", "bmi"), ("sex", ("visit", 2))],
    apart=[("sex", "weight")],
    conditions=["drug"],
    no_edges_within=[0, 3],
    neighboring_tiers_only=True,
)


def test_json_and_yaml_hold_everything() -> None:
    assert cz.Knowledge.from_json(FULL.to_json()) == FULL
    assert cz.Knowledge.from_yaml(FULL.to_yaml()) == FULL
    nothing = cz.Knowledge()
    assert nothing.to_json() == "{}"
    assert cz.Knowledge.from_json("{}") == nothing
    assert cz.Knowledge.from_yaml("") == nothing


def test_yaml_as_people_write_it() -> None:
    text = "tiers:\n- [age, sex]\n- [bmi]\n- ...\nno_edges_within: true\nrequired:\n- [age, bmi]\n"
    text = text.replace("- ...\n", '- "..."\n')  # a bare ... ends a document of YAML
    expected = cz.Knowledge(tiers=[["age", "sex"], ["bmi"], ...], required=[("age", "bmi")], no_edges_within=True)
    assert cz.Knowledge.from_yaml(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "the text is not valid JSON"),
        ("[1]", r"an object with the keys tiers, .* not \[1\]"),
        ('{"tier": []}', "an object with the keys tiers, .* not {'tier'"),
        ('{"required": [["a", "b"], ["b", "a"]]}', "the cycle a -> b -> a"),
        ('{"required": ["ab"]}', "a collection of arrows .* not 'ab'"),
        ('{"required": {"a": "b"}}', "required must be a collection of arrows"),
        ('{"tiers": [[{}], ["a"]]}', "hashable"),
    ],
)
def test_faults_of_json_are_named(text: str, message: str) -> None:
    with pytest.raises(cz.KnowledgeError, match=message):
        cz.Knowledge.from_json(text)


def test_faults_of_yaml_are_named() -> None:
    with pytest.raises(cz.KnowledgeError, match="the text is not valid YAML"):
        cz.Knowledge.from_yaml("tiers: [a")
    with pytest.raises(cz.KnowledgeError, match="an object with the keys"):
        cz.Knowledge.from_yaml("age")


def test_without_pyyaml_the_message_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(cz.MissingDependencyError, match=r"pip install 'causal-zigzag\[yaml\]'"):
        FULL.to_yaml()
    with pytest.raises(cz.MissingDependencyError, match="or use JSON"):
        cz.Knowledge.from_yaml("")


def test_labels_that_json_cannot_hold_are_refused() -> None:
    with pytest.raises(cz.KnowledgeError, match="cannot be written as JSON"):
        cz.Knowledge(forbidden=[(b"a", "b")]).to_json()


TETRAD = """/knowledge
addtemporal

1* age sex
2 bmi
3  // nothing here
4 disease

forbiddirect
sex bmi // a comment

requiredirect
age bmi
"""


def test_a_file_of_tetrad_is_read_and_written() -> None:
    known = cz.Knowledge.from_tetrad(TETRAD)
    assert known == cz.Knowledge(
        tiers=[["age", "sex"], ["bmi"], ["disease"]],
        no_edges_within=[0],
        forbidden=[("sex", "bmi")],
        required=[("age", "bmi")],
    )
    assert cz.Knowledge.from_tetrad(known.to_tetrad()) == known
    every = cz.Knowledge(tiers=[["a"], ["b"], ["c", "d"]], no_edges_within=True, neighboring_tiers_only=True)
    assert every.to_tetrad().splitlines()[2:5] == ["1*- a", "2*- b", "3*- c d"]
    assert cz.Knowledge.from_tetrad(every.to_tetrad()) == every
    apart = cz.Knowledge(forbidden=[("a", "b")], apart=[("d", "c")])
    assert apart.to_tetrad().splitlines()[3:7] == ["forbiddirect", "a b", "d c", "c d"]
    assert cz.Knowledge.from_tetrad(apart.to_tetrad()) == apart
    assert cz.Knowledge.from_tetrad("/knowledge\naddtemporal\n\nforbiddirect\n\nrequiredirect\n") == cz.Knowledge()
    assert cz.Knowledge.from_tetrad("/knowledge\naddtemporal\n1 a b\n") == cz.Knowledge()
    assert cz.Knowledge.from_tetrad("/knowledge\naddtemporal\n0,a,b\n1,c\n") == cz.Knowledge(tiers=[["a", "b"], ["c"]])


def test_tiers_of_tetrad_that_cause_only_the_next_one() -> None:
    names = ["a", "b", "c", "d"]
    last = cz.Knowledge.from_tetrad("/knowledge\naddtemporal\n1- a\n2- b\n3 c\n4 d\n")
    assert last.neighboring_tiers_only
    assert {*last.arrows(names)[0]} == {(x, y) for x in range(4) for y in range(x)} | {(0, 2), (0, 3), (1, 3)}
    for text in ("1- a\n2 b\n3 c\n4 d\n", "1- a\n2-\n3 b\n4 c d\n"):  # not all tiers, or an empty one
        with pytest.raises(cz.KnowledgeError, match="cause only the next one"):
            cz.Knowledge.from_tetrad(f"/knowledge\naddtemporal\n{text}")


def test_conditions_and_the_rest_need_all_nodes_for_tetrad() -> None:
    known = cz.Knowledge.contexts(["drug"], tiers=[["age"], ...], forbidden=[("age", "x")])
    with pytest.raises(cz.KnowledgeError, match=r"to_tetrad\(nodes\)"):
        known.to_tetrad()
    nodes = ["drug", "age", "x", "y"]
    read = cz.Knowledge.from_tetrad(known.to_tetrad(nodes))
    assert read.arrows(nodes) == known.arrows(nodes)
    numbers = cz.Knowledge.contexts([0], tiers=[[1], ...], forbidden=[(1, 2)])
    assert numbers.to_tetrad(nodes) == known.to_tetrad(nodes)
    numbers = cz.Knowledge(tiers=[[3], [1]], required=[(3, 0)])
    assert cz.Knowledge.from_tetrad(numbers.to_tetrad(nodes)).arrows(nodes) == numbers.arrows(nodes)


def test_names_that_a_file_of_tetrad_cannot_hold() -> None:
    for name in ("x*", "/x", "", "Exam 1", "Last,First"):
        with pytest.raises(cz.KnowledgeError, match="Tetrad cannot read the node"):
            cz.Knowledge(forbidden=[(name, "a")]).to_tetrad()
    with pytest.raises(cz.KnowledgeError, match="same text"):
        cz.Knowledge(forbidden=[(1, "1")]).to_tetrad()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b", "line 1 of the knowledge file of Tetrad is 'a b'"),
        ("/knowledge\naddtemporal\nx1 x2", "line 3 .* 'x1 x2'"),
        ("/knowledge\naddtemporal\n1 x*", r"line 3 .* '1 x\*'"),
        ("/knowledge\nforbiddirect\na b c", "line 3 .* 'a b c'"),
        ("/knowledge\nforbiddengroup\na b", "line 2 .* 'forbiddengroup'"),
        ("/knowledge\naddtemporal\n1 a\n2 a", "a is in tier 1 and in tier 2"),
    ],
)
def test_faults_of_a_file_of_tetrad_are_named(text: str, message: str) -> None:
    with pytest.raises(cz.KnowledgeError, match=message):
        cz.Knowledge.from_tetrad(text)


def test_files_by_the_ending_of_their_names(tmp_path: Path) -> None:
    known = cz.Knowledge(tiers=[["age"], ["bmi"]], forbidden=[("age", "bmi")])
    for name, begin in (("k.json", "{"), ("k.yaml", "tiers:"), ("k.yml", "tiers:"), ("k.txt", "/knowledge")):
        known.save(tmp_path / name)
        assert (tmp_path / name).read_text().startswith(begin)
        assert cz.Knowledge.load(tmp_path / name) == known
    FULL.save(tmp_path / "full.json")
    assert cz.Knowledge.load(tmp_path / "full.json") == FULL


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(cz.KnowledgeError, match=r"cannot read '.*none.json': No such file"):
        cz.Knowledge.load(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text('{"required": [["a", "a"]], "x": 1}')
    with pytest.raises(cz.KnowledgeError, match=r"in '.*bad.json': .* 'x': 1"):
        cz.Knowledge.load(tmp_path / "bad.json")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(cz.KnowledgeError, match="cannot read"):
        cz.Knowledge.load(tmp_path / "bytes.txt")


LABELS = st.one_of(st.text(max_size=3), st.integers(-3, 9), st.tuples(st.text(max_size=1), st.integers(0, 2)))


@settings(max_examples=25)
@given(st.lists(LABELS, min_size=4, max_size=6, unique_by=lambda v: (type(v), v)), st.booleans(), st.randoms())
def test_any_labels_survive_json_and_yaml(names: list, only: bool, random) -> None:
    random.shuffle(names)
    known = cz.Knowledge(
        tiers=[names[:1], names[1:2]],
        forbidden=[(names[2], names[3])],
        required=[(names[3], names[2])],
        conditions=names[4:],
        no_edges_within=[0] if only else False,
        neighboring_tiers_only=only,
    )
    assert cz.Knowledge.from_json(known.to_json()) == known
    assert cz.Knowledge.from_yaml(known.to_yaml()) == known


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tiers: &t [[a], *t]", "aliases such as *t are not read"),
        ("!!python/object/apply:os.system ['true']", "not valid YAML: could not determine a constructor"),
        ("[" * 100_000, "lists are nested more than 50 deep"),
        ("tiers: 1" + ":59" * 1000, "a value of 3,001 characters"),
        ("- " * 50_000, "lists are nested more than 50 deep"),
        ("tiers: [[a], [2024-99-99]]", "month must be in 1..12"),
    ],
    ids=["cycle", "python", "nested", "base 60", "lists", "date"],
)
def test_yaml_that_is_no_knowledge(text: str, words: str) -> None:
    pytest.importorskip("yaml")
    with pytest.raises(cz.KnowledgeError, match=re.escape(words)):
        cz.Knowledge.from_yaml(text)


@pytest.mark.parametrize(
    "text",
    ["addtemporal\n" + "9" * 5000 + " a", "addtemporal\n\u0661 a"], ids=["digits", "arabic"],
)  # fmt: skip
def test_tetrad_that_is_no_knowledge(text: str) -> None:
    with pytest.raises(cz.KnowledgeError, match=r"line [23]"):
        cz.Knowledge.from_tetrad(text)
