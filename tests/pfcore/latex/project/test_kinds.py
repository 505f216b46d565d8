import pytest

from pfcore.domain.values import Role
from pfcore.latex.project.kinds import kind_of, role_of


@pytest.mark.parametrize(
    ("env", "printed", "kind"),
    [
        ("foo", "Lemma", "lemma"),
        ("lem", "", "lemma"),
        ("thm", "Main Theorem", "theorem"),
        ("x", "Théorème", "theoreme"),
        ("x", "Thm.", "theorem"),
        ("defn*", "", "definition"),
        ("foo*", "", "foo"),
        ("foo", "Grand Unification", "grand unification"),
        ("x", "Non-Example", "non-example"),
    ],
)
def test_the_printed_name_says_the_kind_before_the_environments_name(
    env: str, printed: str, kind: str
) -> None:
    assert kind_of(env, printed) == kind


@pytest.mark.parametrize(
    ("kind", "role"),
    [
        ("lemma", Role.RESULT),
        ("definition", Role.DEFINITION),
        ("hypothesis", Role.ASSUMPTION),
        ("convention", Role.CONVENTION),
        ("conjecture", Role.OPEN),
        ("remark", Role.ASIDE),
        ("widget", Role.ASIDE),
    ],
)
def test_a_kind_has_a_role(kind: str, role: Role) -> None:
    assert role_of(kind) is role
