import pytest

from pfcore.reporters.html.mathml import lettered


@pytest.mark.parametrize(
    ("text", "variant", "made"),
    [
        ("AMg", "fraktur", "𝔄𝔐𝔤"),
        ("CR", "fraktur", "ℭℜ"),
        ("ABz", "script", "𝒜ℬ𝓏"),
        ("R1k", "double-struck", "ℝ𝟙𝕜"),
        ("x1α", "bold", "𝐱𝟏𝛂"),
        ("h", "italic", "ℎ"),
        ("xα", "bold-italic", "𝒙𝜶"),
        ("a", "sans-serif", "𝖺"),
        ("a1", "monospace", "𝚊𝟷"),
        ("a+é", "bold", "𝐚+é"),
        ("ab", "normal", "ab"),
        ("a", "initial", "a"),
    ],
)
def test_letters_have_signs_of_their_own(text: str, variant: str, made: str) -> None:
    assert lettered(text, variant) == made
