"""Tables as they come from spreadsheets: the options that read them, and errors that name these options."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import causal_zigzag as cz
from causal_zigzag.cli import main
from causal_zigzag.cli.remedies import REMEDIES

pytestmark = pytest.mark.nosanitize

QUICK = ["--jumps", "500", "--chains", "2", "--seed", "1"]
READ = ["--drop", 'patient,"date, local"', "--drop", "site", "--decimal", ",", "--missing", "n.d.", "--drop-missing"]


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


def test_a_messy_table_is_read_by_following_the_errors(messy: Path) -> None:
    """Each error names the option that leads on; what the last one gives is what the library reads."""
    steps = [
        ([], "2 cells are missing (NaN), the first in row 30, column effect; leave such rows out with --drop-missing"),
        (["--drop-missing"], "like an identifier; leave it out with --drop patient, or group"),
        (["--drop", "patient"], "with a decimal comma, like '0,017'; read it with --decimal ,"),
        (["--decimal", ","], "except 'n.d.'; take these for missing with --missing TEXT and --drop-missing"),
        (["--missing", "n.d."], "'A', so it tells nothing; leave the column out with --drop site"),
        (["--drop", 'site, "date, local"'], ""),
    ]  # fmt: skip
    options: list[str] = []
    for added, error in steps:
        options += added
        result = call("ges", messy, *options, "--json")
        assert result.exit_code == (1 if error else 0), result.output
        assert error in result.stderr
    assert result.stderr == "Note: 3 of 80 rows have missing cells and are left out\n"
    expected = cz.ges(
        cz.read_table(
            str(messy), drop=["patient", "date, local", "site"], drop_missing=True, decimal=",", missing=["n.d."]
        )
    )
    assert json.loads(result.stdout)["log_weight"] == pytest.approx(expected.log_weight)


def test_sample_reads_likewise_and_its_report_repeats_that(messy: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    options = [*READ, "--kinds", "stage=ordinal, sex=categorical", *QUICK]
    result = call("sample", messy, *options, "--json", "--report", page)
    assert result.exit_code == 0, result.output
    value = json.loads(result.stdout)
    assert value["nodes"] == ["age", "sex", "dose", "effect", "stage"]
    assert value["rows_left_out"] == 3
    told = html.unescape(page.read_text(encoding="utf-8"))
    assert "3 rows with missing cells left out" in told
    code = re.search(r"import causal_zigzag as cz\n.*?\n\)", told, re.DOTALL)
    assert code is not None
    assert "drop=['patient', 'date, local', 'site'], drop_missing=True, decimal=','" in code[0]
    names: dict[str, cz.Posterior] = {}
    exec(code[0], names)
    again = names["posterior"].edge_table()["adjacent"].tolist()
    assert [edge["adjacent"] for edge in value["edges"]] == again


def test_standard_input_takes_the_options_too(messy: Path) -> None:
    result = call("sample", "-", *READ, *QUICK, "--json", stdin=messy.read_bytes())
    assert result.exit_code == 0, result.output
    value = json.loads(result.stdout)
    assert value["data"] == "standard input"
    assert value["reading"].startswith("drop=['patient', 'date, local', 'site']")


def test_a_bundled_table_takes_them_where_they_mean_something() -> None:
    value = json.loads(call("sample", "sachs", "--drop", "pip2,pip3", *QUICK, "--json").stdout)
    assert len(value["nodes"]) == 9
    wrong = call("sample", "sachs", "--decimal", ",")
    assert wrong.exit_code == 1
    assert "are for files of text" in wrong.stderr


def test_kinds_for_all_columns() -> None:
    result = call("ges", "college-plans", "--kinds", "continuous")
    assert result.exit_code == 0, result.output
    assert "GaussianBIC" in result.stdout


@pytest.mark.parametrize(
    "options",
    [["--kinds", "a"], ["--kinds", "a=number"], ["--kinds", "=ordinal"], ["--kinds", "ordinal,a=ordinal"],
     ["--kinds", "ordinal", "--kinds", "a=ordinal"], ["--delimiter", ";;"], ["--decimal", "x"]],
)  # fmt: skip
def test_wrong_options_are_wrong_usage(options: list[str]) -> None:
    result = call("ges", "sachs", *options)
    assert result.exit_code == 2
    assert result.stderr.startswith("Usage: ")


@pytest.mark.parametrize(
    ("content", "options", "words", "cure"),
    [
        ("a|b\n1.5|2\n3|4\n5|6.5\n", [], "separates columns, read it with --delimiter '|'", ["--delimiter", "|"]),
        (",a,b\n0,1.5,2\n1,3,4\n2,5,6.5\n", [], "leave the column out with --drop 'Unnamed: 0'",
         ["--drop", "Unnamed: 0"]),
        ("a,b,c\n1.5,2,4\n3,4,8\n5,6.5,13\n1,9,18\n", [], "as with --drop c: no score", ["--drop", "c"]),
        ("a,b\n1.5,2\n3,4.5\n5,inf\n1,8\n2,-inf\n4,1\n", [], "--missing inf --missing=-inf --drop-missing",
         ["--missing", "inf", "--missing=-inf", "--drop-missing"]),
        ("a,b\n1.5,u\n3,v\n5,u\n2,v\n7,v\n", ["--score", "bge"], "use --score mixed-bic", ["--score", "mixed-bic"]),
        ("a,b\n1.5,u\n3,v\n5,u\n2,v\n7,v\n", ["--score", "bdeu"], "use --score gaussian-bic or --score mixed-bic",
         ["--score", "mixed-bic"]),
        ("a,b\n1.5,u\n3,v\n5,u\n2,v\n7,v\n", ["--kinds", "b=ordinal"], "leave its kind out of --kinds",
         ["--kinds", "b=categorical"]),
        ("a,b\n" + "".join(f"{i / 7},{i % 12}%\n" for i in range(60)), [], "with '%' behind them, like '0%'; remove",
         ["--kinds", "b=categorical"]),
        ("a;b\n" + "".join(f"{i * i};{i % 12 + 1},234\n" for i in range(60)), [], "if decimal, read it with --decimal",
         ["--decimal", ","]),
    ],
    ids=["delimiter", "index", "collinear", "infinite", "text", "fractions", "kind", "unit", "comma"],
)  # fmt: skip
def test_the_remedy_that_an_error_names_works(
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


def test_a_file_of_another_name_is_piped_in(tmp_path: Path) -> None:
    path = tmp_path / "table.dat"
    path.write_text("a,b\n1.5,2\n3,4\n5,6.5\n")
    result = call("ges", path)
    assert result.exit_code == 1
    assert f"by its ending; if it is text, pipe it in, with - for its name and < {path} behind" in result.stderr
    assert call("ges", "-", stdin=path.read_bytes()).exit_code == 0


def test_no_remedy_of_the_command_line_is_python() -> None:
    assert not [remedy for remedy in REMEDIES.values() if "pandas" in remedy or "(" in remedy or "='" in remedy]
