"""The doctor's rules: stable ids, pages in step, --explain."""

import pytest

from opweld.doctor.pages import INDEX, pages
from opweld.doctor.rules import all_rules, find_rule, render_page


def test_ids_are_in_order_and_names_unique():
    ids = [rule.id for rule in all_rules()]
    assert ids == sorted(set(ids))
    assert len({rule.name for rule in all_rules()}) == len(ids)


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.id)
def test_every_rule_says_cause_and_fix(rule):
    prefixes = {
        "Registration": ("OW7",),
        "Meta": ("OW80", "OW81"),
        "Autograd": ("OW82",),
        "Converter": ("OW84", "OW85"),
        "Prototype": ("OW86",),
        "Kernel": ("OW90", "OW91"),
        "Environment": ("OW95",),
    }
    assert rule.id.startswith(prefixes[rule.family])
    for text in (rule.says, rule.cause, rule.fix):
        assert text.endswith((".", ")"))
    assert bool(rule.wrong) == bool(rule.right)
    assert bool(rule.language) == bool(rule.wrong)


def test_pages_are_in_step(root):
    folder = root / "docs" / "rules"
    written = pages()
    for name, text in written.items():
        assert (folder / name).read_text() == text, f"python -m opweld.doctor.pages docs/rules ({name})"
    there = {path.name for path in folder.glob("OW[789]*.md")}
    assert there == set(written) - {INDEX}


def test_explain(opweld):
    result = opweld("doctor", "--explain", "ow704")
    assert result.returncode == 0
    assert result.stdout == render_page(find_rule("OW704"))


def test_explain_knows_the_rules_of_check(opweld, root):
    result = opweld("doctor", "--explain", "OW101")
    assert result.stdout == (root / "docs" / "rules" / "OW101.md").read_text()


def test_explain_of_an_unknown_rule_is_wrong_use(opweld):
    result = opweld("doctor", "--explain", "OW000")
    assert result.returncode == 2
    assert "there is no rule 'OW000'" in result.stderr
