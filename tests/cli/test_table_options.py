"""The options for reading tables such as those from spreadsheets, and the errors that name these options."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import causal_zigzag as cz
from causal_zigzag.cli import main
from causal_zigzag.cli.remedies import REMEDIES
from causal_zigzag.tables import read_table

pytestmark = pytest.mark.nosanitize

QUICK = ["--jumps", "500", "--chains", "2", "--seed", "1"]
READ = ["--drop", 'patient,"date, local"', "--drop", "site", "--decimal", ",", "--na", "n.d.", "--missing", "drop"]


def call(*arguments: object, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)


@pytest.fixture(scope="module")
def messy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An identifier, dates, a constant, decimal commas, semicolons, categories, and two kinds of gaps."""
    rng = np.random.default_rng(1)
    lines = ["patient;date, local;age;sex;dose;effect;stage;site"]
    for i in range(80):
        age, dose, sex = int(rng.integers(20, 80)), rng.random(), rng.choice(["f", "m"])
        effect = 2 * dose + 0.02 * age + 0.2 * rng.normal()
        gap = {7: "n.d.", 30: "", 31: "NA"}.get(i)
        cells = [f"p{i}", f"2020-01-{i % 28 + 1:02}", str(age), sex, f"{dose:.3f}", f"{effect:.3f}", str(i % 3), "A"]
        cells[5] = cells[5] if gap is None else gap
        lines.append(";".join(cells).replace(".", ",").replace("n,d,", "n.d."))
    path = tmp_path_factory.mktemp("messy") / "messy.csv"
    path.write_text("\n".join(lines))
    return path


def test_a_messy_table_is_mended_and_every_note_names_its_option(messy: Path) -> None:
    result = call("ges", messy, "--missing", "drop", "--json")
    assert result.exit_code == 0, result.output
    notes = [line for line in result.stderr.splitlines() if line.startswith("Note: ")]
    for column, option in (
        ("patient", "(--keep patient)"),
        ("date, local", """(--keep '"date, local"')"""),
        ("dose", "(--kinds dose=categorical)"),
        ("site", ""),
        ("n.d.", "(--kinds effect=categorical)"),
        ("3 of 80 rows are incomplete", "(--missing sample)"),
    ):
        assert [note for note in notes if column in note and option in note], column
    expected = cz.ges(
        cz.read_table(
            str(messy), drop=["patient", "date, local", "site"], missing="drop", decimal=",", na_values=["n.d."]
        )
    )
    assert json.loads(result.stdout)["log_weight"] == pytest.approx(expected.log_weight)


def test_the_errors_of_a_strict_reading_lead_to_the_options(messy: Path) -> None:
    first = call("ges", messy, "--strict")
    assert first.exit_code == 1
    assert "Error: the table has 6 faults:\n- " in first.stderr
    for option in ("--drop patient", """--drop '"date, local"'""", "--decimal ,", "--drop site", "--missing drop"):
        assert option in first.stderr
    options = ["--strict", "--missing", "drop", "--drop", "patient,site", "--drop", '"date, local"', "--decimal", ","]
    second = call("ges", messy, *options)
    assert second.exit_code == 1
    assert "--na TEXT" in second.stderr
    assert call("ges", messy, *options, "--na", "n.d.").exit_code == 0


def test_sample_has_the_same_options_and_its_report_repeats_them(messy: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    options = [*READ, "--kinds", "stage=ordinal, sex=categorical", *QUICK]
    result = call("sample", messy, *options, "--json", "--report", page)
    assert result.exit_code == 0, result.output
    value = json.loads(result.stdout)
    assert value["nodes"] == ["age", "sex", "dose", "effect", "stage"]
    assert value["rows_left_out"] == 3
    told = html.unescape(page.read_text(encoding="utf-8"))
    assert "3 rows left out" in told
    code = re.search(r"import causal_zigzag as cz\n.*?\n\)", told, re.DOTALL)
    assert code is not None
    assert "drop=['patient', 'date, local', 'site'], missing='drop', decimal=','" in code[0]
    names: dict[str, cz.Posterior] = {}
    exec(code[0], names)
    again = names["posterior"].edge_table()["adjacent"].tolist()
    assert [edge["adjacent"] for edge in value["edges"]] == again


def test_the_options_apply_to_standard_input(messy: Path) -> None:
    result = call("sample", "-", *READ, *QUICK, "--json", stdin=messy.read_bytes())
    assert result.exit_code == 0, result.output
    value = json.loads(result.stdout)
    assert value["data"] == "standard input"
    assert value["reading"].startswith("drop=['patient', 'date, local', 'site']")


def test_the_options_for_bundled_tables() -> None:
    value = json.loads(call("sample", "sachs", "--drop", "pip2,pip3", *QUICK, "--json").stdout)
    assert len(value["nodes"]) == 9
    wrong = call("sample", "sachs", "--decimal", ",")
    assert wrong.exit_code == 1
    assert "are for text files" in wrong.stderr


def test_kinds_for_all_columns() -> None:
    result = call("ges", "college-plans", "--kinds", "continuous")
    assert result.exit_code == 0, result.output
    assert "GaussianBIC" in result.stdout


@pytest.mark.parametrize(
    "options",
    [["--kinds", "a"], ["--kinds", "a=number"], ["--kinds", "=ordinal"], ["--kinds", "ordinal,a=ordinal"],
     ["--kinds", "ordinal", "--kinds", "a=ordinal"], ["--delimiter", ";;"], ["--decimal", "x"]],
)  # fmt: skip
def test_invalid_options(options: list[str]) -> None:
    result = call("ges", "sachs", *options)
    assert result.exit_code == 2
    assert result.stderr.startswith("Usage: ")


@pytest.mark.parametrize(
    ("content", "options", "words", "cure"),
    [
        ("a|b\n1.5|2\n3|4\n5|6.5\n", [], "separates columns, use --delimiter '|'", ["--delimiter", "|"]),
        ("a,b,c\n1.5,2,4\n3,4,8\n5,6.5,13\n1,9,18\n", [], "for example with --drop c", ["--drop", "c"]),
        ("a,b\n1.5,2\n3,4.5\n5,inf\n1,8\n2,-inf\n4,1\n", [], "--na inf --na=-inf",
         ["--na", "inf", "--na=-inf", "--missing", "drop"]),
        ("a,b\n1.5,u\n3,v\n5,u\n2,v\n7,v\n", ["--score", "bge"], "use --score mixed-bic", ["--score", "mixed-bic"]),
        ("a,b\n1.5,u\n3,v\n5,u\n2,v\n7,v\n", ["--score", "bdeu"], "use --score gaussian-bic or --score mixed-bic",
         ["--score", "mixed-bic"]),
        ("a,b\n1.5,u\n3,v\n5,u\n2,v\n7,v\n", ["--kinds", "b=ordinal"], "remove it from --kinds",
         ["--kinds", "b=categorical"]),
        ("a,b\n" + "".join(f"{i / 7},{i % 12}%\n" for i in range(60)), ["--strict"], "followed by '%', such as",
         ["--kinds", "b=categorical"]),
        ("a;b\n" + "".join(f"{i * i};{i % 12 + 1},234\n" for i in range(60)), [], "is decimal, use --decimal",
         ["--decimal", ","]),
    ],
    ids=["delimiter", "collinear", "infinite", "text", "fractions", "kind", "unit", "comma"],
)  # fmt: skip
def test_the_remedy_in_an_error_works(
    content: str, options: list[str], words: str, cure: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(content)
    result = call("ges", path, *options)
    assert result.exit_code == 1
    assert words in result.stderr
    assert "pandas" not in result.stderr
    cured = call("ges", path, *options, *cure)
    assert cured.exit_code == 0, cured.output


def test_a_file_with_another_suffix(tmp_path: Path) -> None:
    path = tmp_path / "table.dat"
    path.write_text("a,b\n1.5,2\n3,4\n5,6.5\n")
    result = call("ges", path)
    assert result.exit_code == 1
    assert f"if it is a text file, pass - in place of its name and append < {path} to" in result.stderr
    assert call("ges", "-", stdin=path.read_bytes()).exit_code == 0


def test_remedies_of_the_command_line_contain_no_python_code() -> None:
    assert not [remedy for remedy in REMEDIES.values() if "pandas" in remedy or "(" in remedy or "='" in remedy]


def test_a_file_is_opened_and_parsed_once(messy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Path] = []
    parsed: list[object] = []
    open_path, parse = Path.open, read_table.raw_columns

    def counting_open(path: Path, *arguments: Any, **options: Any) -> Any:
        opened.append(path)
        return open_path(path, *arguments, **options)

    def counting_parse(data: object, *arguments: Any) -> Any:
        parsed.append(data)
        return parse(data, *arguments)

    monkeypatch.setattr(Path, "open", counting_open)
    monkeypatch.setattr(read_table, "raw_columns", counting_parse)
    result = call("sample", messy, *READ, *QUICK)
    assert result.exit_code == 0, result.output
    assert opened.count(messy) == 1
    assert parsed == [str(messy)]


def test_the_encoding_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("größe,b\n1.5,2.5\n2.5,1\n0.5,0.25\n".encode("cp1252"))
    result = call("ges", path)
    assert result.exit_code == 1
    assert "; read it with --encoding cp1252" in result.stderr
    assert "größe" in call("ges", path, "--encoding", "cp1252", "--json").stdout
    assert "encoding must be None or" in call("ges", path, "--encoding", "klingon").stderr


def test_missing_cells_are_sampled_and_classes_have_no_score(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.normal(size=(60, 3)), columns=[*"abc"])
    table.mask(rng.random(table.shape) < 0.2).to_csv(tmp_path / "holes.csv", index=False)
    options = [tmp_path / "holes.csv", *QUICK]
    assert "nan" not in call("sample", *options).output
    assert json.loads(call("sample", *options, "--json").stdout)["top"][0]["score"] is None
