"""Kinds of theorem-like environments: from the printed name to a role.

Environments that print "Proof", perhaps with the result, are proofs, however they are declared.
"""

import re
import unicodedata

from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Role

_ROLES: dict[Role, str] = {
    Role.RESULT: """theorem lemma proposition corollary claim fact sublemma subclaim observation
        metatheorem porism property law criterion estimate result scholium addendum subtheorem
        step schritt etape theoreme lemme corollaire affirmation fait satz hauptsatz korollar
        folgerung behauptung hilfssatz teorema lema corolario proposicion corollario proposizione
        corolario proposicao stelling gevolg
        теорема лемма предложение следствие утверждение свойство факт лема наслідок твердження
        twierdzenie lemat wniosek stwierdzenie fakt veta tvrzeni dusledek lema dosledok tvrdenie
        sats sætning setning følgesætning följdsats teorem önerme tetel allitas kovetkezmeny
        teoremă propozitie corolar lause apulause θεωρημα λημμα προταση πορισμα
        定理 引理 命题 命題 推论 推論 性质 性質 断言 斷言 结论 補題 系 主張
        정리 보조정리 명제 따름정리""",
    Role.DEFINITION: """definition notation construction terminology concept abbreviation
        definicion definizione definicao definitie notations definitions bezeichnung begriff
        определение обозначение обозначения означення позначення definicja oznaczenie definice
        definicia tanım definitio definisjon definicio ορισμος maaritelma
        定义 定義 记号 記号 記法 概念 정의""",
    Role.ASSUMPTION: """assumption hypothesis axiom postulate condition assumptions hypotheses
        axioms conditions hypothese annahme voraussetzung suposicion ipotesi axiome
        предположение аксиома припущення zalozenie aksjomat predpoklad axioma 公理 假设 假設 仮定
        공리 가정""",
    Role.CONVENTION: "convention conventions setup setting situation standing parameters",
    Role.OPEN: "conjecture question problem conjectures questions vermutung frage probleme"
    " гипотеза гіпотеза hipoteza conjetura congettura conjectura domneva 猜想 予想 추측",
    Role.ASIDE: """remark example exercise note warning comment discussion remarks examples notes
        exercises remarque exemple bemerkung beispiel observacion ejemplo solution digression
        caution counterexample non-example motivation history summary algorithm task
        замечание пример упражнение задача зауваження приклад вправа uwaga przyklad cwiczenie
        zadanie poznamka priklad cviceni anmarkning bemærkning eksempel exempel merknad
        observacao exemplo exercicio osservazione esempio esercizio ejercicio voorbeeld opmerking
        megjegyzes pelda observatie exemplu exercitiu huomautus esimerkki παρατηρηση παραδειγμα
        注 注记 注釋 注意 例 例子 例题 练习 習題 习题 问题 비고 예제""",
}


def _plain(word: str) -> str:
    text = unicodedata.normalize("NFKD", word.lower())
    return "".join(letter for letter in text if not unicodedata.combining(letter))


_BY_WORD = {_plain(word): role for role, words in _ROLES.items() for word in words.split()}

_ABBREVIATIONS = {
    "thm": "theorem", "theo": "theorem", "teo": "theorem", "lem": "lemma", "lemm": "lemma",
    "prop": "proposition", "prp": "proposition", "propn": "proposition", "cor": "corollary",
    "coro": "corollary", "corr": "corollary", "clm": "claim", "sublem": "sublemma",
    "obs": "observation", "def": "definition", "defn": "definition", "dfn": "definition",
    "defi": "definition", "definit": "definition", "notn": "notation", "constr": "construction",
    "ax": "axiom", "assum": "assumption", "ass": "assumption", "hyp": "hypothesis",
    "conv": "convention", "conj": "conjecture", "ques": "question", "prob": "problem",
    "rem": "remark", "rema": "remark", "rmk": "remark", "rk": "remark", "ex": "example",
    "eg": "example", "exa": "example", "exmp": "example", "exem": "example", "exer": "exercise",
    "exc": "exercise", "ih": "hypothesis",
}  # fmt: skip

DEFAULT_THEOREMS = {
    name: name
    for name in (
        "theorem lemma proposition corollary claim definition remark example conjecture "
        "assumption notation fact observation axiom convention hypothesis sublemma exercise"
    ).split()
} | {
    name: _ABBREVIATIONS[name] for name in "thm lem prop prp cor defn dfn defi rmk rem conj".split()
}
_FOREIGN = """satz hauptsatz hilfssatz korollar folgerung behauptung theoreme lemme corollaire
    teorema lema corolario proposicion corollario proposizione proposicao stelling gevolg
    definicion definizione definicao definitie""".split()
_OF_CLASSES = "note problem property question conjecture exercise case criterion scholium".split()
DEFAULT_THEOREMS |= {name: name for name in (*_FOREIGN, *_OF_CLASSES)}
DEFAULT_THEOREMS |= {
    name: _ABBREVIATIONS[name]
    for name in (
        "exa exmp obs clm prob ax hyp conv theo lemm coro rema exem def propn corr sublem notn "
        "constr assum rk"
    ).split()
} | {"enonce": "enonce"}
DEFAULT_THEOREMS |= {name.capitalize(): kind for name, kind in DEFAULT_THEOREMS.items()}
"""Environments taken as theorem-like without a declaration, such as those of a journal's class."""

_PROOFS = frozenset(
    """proof prf pf demo demonstration preuve beweis bew demostracion dimostrazione prova bewijs
    proofof""".split()
)
DEFAULT_PROOFS = (
    _PROOFS
    | {name.capitalize() for name in _PROOFS}
    | frozenset(
        """proof* IEEEproof sketch proofsketch sketchproof solution answer subproof claimproof
        appendixproof inlineproof nestedproof proofEnd proofE""".split()
    )
)

ANSWERS = frozenset({"solution", "answer"})
"""Environments that belong to the exercise or question right before them."""

_ACCENT = regex(r"\\['`^\"](?=[A-Za-z])")
_WORD = regex(r"[^\W\d_]+(?:-[^\W\d_]+)*")


def kind_of(env: str, printed: str) -> str:
    """The kind as a word: from the printed name if it has one, else from the environment's name."""
    for text in (printed, env):
        words = [_plain(word) for word in _WORD.findall(text)]
        for word in reversed(words):
            if word in _BY_WORD:
                return word
        for word in words:
            if word in _ABBREVIATIONS:
                return _ABBREVIATIONS[word]
    name = " ".join(_WORD.findall(printed)).lower()
    return name or env.rstrip("*").lower()


IN_ENGLISH = (
    *("theorem", "lemma", "proposition", "corollary", "claim", "definition", "notation"),
    *("assumption", "axiom", "convention", "conjecture", "question", "remark", "example"),
)
"""The most common kinds."""


def is_known(kind: str) -> bool:
    """Whether a word is a kind, in any language, with a known role."""
    return kind in _BY_WORD


def unaccented(text: str) -> str:
    """A text without accent commands: `theoreme` for `th\\'eor\\`eme`."""
    return _ACCENT.sub("", text)


_EXAMPLES = frozenset(["example", "counterexample", "non-example", "exercise"])


def is_example(kind: str) -> bool:
    """Whether meanings of symbols in statements of this kind hold only there."""
    return kind in _EXAMPLES


_OBJECTS = frozenset(
    """problem probleme protocol protokoll protocole algorithm algorithme game experiment scheme
    functionality mechanism procedure oracle""".split()
)


def names_object(kind: str) -> bool:
    """Whether the title of a statement of this kind names its content, such as a problem."""
    return kind in _OBJECTS


def role_of(kind: str) -> Role:
    """The role of a kind; an unknown kind is an aside until a proof follows it."""
    return _BY_WORD.get(kind, Role.ASIDE)


_SAME = {
    "theorem": """satz hauptsatz theoreme teorema stelling теорема twierdzenie veta sats sætning
        setning teorem tetel lause θεωρημα 定理 정리""",
    "lemma": "hilfssatz lemme lema лемма lemat apulause λημμα 引理 補題 보조정리",
    "corollary": """korollar folgerung corollaire corolario corollario gevolg следствие наслідок
        wniosek dusledok dusledek dosledok följdsats følgesætning corolar kovetkezmeny πορισμα
        推论 推論 系 따름정리""",
    "proposition": """proposicion proposizione proposicao предложение stwierdzenie tvrzeni tvrdenie
        önerme allitas propozitie προταση 命题 命題 명제""",
    "claim": "behauptung affirmation утверждение твердження 断言 斷言 主張",
    "definition": """definicion definizione definicao definitie begriff определение означення
        definicja definice definicia tanım definisjon ορισμος maaritelma 定义 定義 정의""",
    "remark": """bemerkung remarque observacion замечание зауваження uwaga poznamka anmarkning
        bemærkning merknad observacao osservazione opmerking megjegyzes huomautus 注 注记 注意""",
    "example": """beispiel exemple ejemplo пример приклад przyklad priklad exempel eksempel exemplo
        esempio voorbeeld pelda esimerkki 例 例子 예제""",
    "conjecture": "vermutung гипотеза гіпотеза hipoteza conjetura congettura 猜想 予想 추측",
    "step": "schritt etape",
}
_IN_ENGLISH = {_plain(word): kind for kind, words in _SAME.items() for word in words.split()}


def in_english(kind: str) -> str:
    """The English name of a kind; a class may print another language than that of its text."""
    return _IN_ENGLISH.get(kind, kind)


def is_aside(kind: str) -> bool:
    """Whether a kind is known to be an aside."""
    return _BY_WORD.get(kind) is Role.ASIDE


def named_kind(word: str) -> str:
    """The kind that a word names, in the singular or plural; "" if it names none."""
    plain = _plain(word).rstrip(".")
    forms = plain, plain.removesuffix("s"), re.sub("ies$", "y", plain), plain.removesuffix("ta")
    return next((kind for form in forms if (kind := kind_of("", form)) in _BY_WORD), "")


KIND_WORDS = (
    r"(?:[Tt]heorems?|[Ll]emmas?|[Ll]emmata|[Pp]ropositions?|[Cc]orollar(?:y|ies)|[Dd]efinitions?"
    r"|[Rr]emarks?|[Ee]xamples?|[Cc]laims?|[Cc]onjectures?|[Aa]ssumptions?|[Hh]ypothes[ei]s|[Ff]acts?"
    r"|[Aa]xioms?|[Nn]otations?|[Cc]onventions?|[Oo]bservations?|[Ee]xercises?|[Ss]teps?|[Cc]ases?"
    r"|[Ii]tems?|[Pp]arts?|[Pp]roperties|[Pp]roperty|[Ee]quations?|[Ee]stimates?|[Ii]nequalit(?:y|ies)"
    r"|[Ss]ections?|[Ss]ubsections?|[Cc]hapters?|[Aa]ppendi(?:x|ces)|[Ff]igures?|[Tt]ables?"
    r"|[Tt]hms?\.?|[Ll]em\.?|[Pp]rops?\.?|[Cc]or\.?|[Dd]efn?s?\.?|[Rr]em\.?|[Ee]qs?\.?|[Ee]qns?\.?"
    r"|[Ss]ecs?\.?|[Ff]igs?\.?|[Cc]h\.?|§+|\\S+"
    r"|(?:Haupt|Hilfs)?[Ss](?:atz(?:es)?|ätzen?)|(?:Korollar|Theorem)(?:en?|s)?|[Ll]emmes?"
    r"|(?:Folgerung|Behauptung|Bemerkung|Proposition)(?:en)?|[Aa]ffirmations?"
    r"|[Tt]h(?:é|\\'e)or(?:è|\\`e)mes?|[Cc]orollaires?|[Dd](?:é|\\'e)finitions?|[Rr]emarques?)"
)
"""Words that announce a reference: `Lemma~\\ref{x}` and `\\cref{x}` then read alike."""

_LONGEST = 500
_PROOF = regex(
    r"[\s{]*(?:\\(?:text(?:it|bf|sc|sl)|emph|it|bf|sc|sl|(?:it|bf|sc)(?:shape|series))[\s{]+)*"
    r"(?:(?:sketch|outline|idea)[\s~]+of[\s~]+(?:the[\s~]+)?proof|proof[\s~]+(?:sketch|outline|idea)"
    r"|proof|\\proofname|beweis(?:skizze|idee)?|preuve|d[eé]monstration|dimostrazione"
    r"|demostraci[oó]n|demonstra[cç][aã]o|bewijs|доказательство|доведення|dow[oó]d|d[uůô]kaz|bevis"
    r"|bizony[ií]t[aá]s|demonstra[tțţ]ie|todistus|ispat|kan[ıi]t|απ[οό]δειξη|证明|證明|証明|증명)(?P<of>[\s~]+(?:of|for|von|des?|du|di)\b.*)?[\s.:}]*",
    re.IGNORECASE | re.DOTALL,
)

_REFERENCE = r"\\(?:[A-Za-z]*[Rr]ef|hyperref)\*?\s*\{[^{}]*\}"
_LAYOUT = regex(
    rf"(?P<kept>{_REFERENCE})|[{{}}\[\]]|\\[ ,;:!/]|\\(?:ref)?stepcounter\s*\{{[^{{}}]*\}}"
    r"|\\(?:[hv](?:space|skip)|addvspace)\*?\s*(?:\{[^{}]*\}|-?[\d.]+\s*[a-z]{2})?"
    r"|\\begin\s*\{(?:trivlist|list|quote|quotation|flushleft)\}(?:\s*\{[^{}]*\}){0,2}"
    r"|\\(?:begin\s*\{(?=[a-z]+\}))?(?:tcolorbox|mdframed|leftbar|framed|shaded)(?![A-Za-z])\}?"
    r"(?:\s*\[[^\[\]]{0,500}(?:\]|\Z))?|\\(?:text)?color\s*(?:\[\w{1,9}\]\s*)?\{[^{}]{1,60}\}"
    r"|\\(?:(?:no)?indent|par|(?:small|med|big)skip|item|labelsep|leavevmode|ignorespaces|normalfont"
    r"|q?quad|enspace|begingroup|bgroup|text(?:it|bf|sc|sl|rm)|emph|u(?:nder)?line|em|it|bf|sc"
    r"|sl|rm|(?:it|bf|sc|sl|up|md)(?:shape|series)|rmfamily)(?![A-Za-z])"
)

_STATEMENT = regex(
    r"\s*(?P<kind>[A-Z][^\W\d_]{2,20})[\s~]*(?:#[1-9]|\([\s#1-9]*\)"
    r"|(?:\\(?:the[A-Za-z@]+|(?:arabic|[Rr]oman|[Aa]lph)\s*[A-Za-z@]+)[\s.~]*){1,4})?+[\s.:]*+"
    r"(?:\\if[A-Za-z@]*.*)?",
    re.DOTALL,
)


_BOLD = regex(
    r"(?:\\textbf\s*\{|\{\s*\\(?:bf|bfseries)(?![A-Za-z]))\s*"
    r"(?P<words>[A-Z][^\W\d_]{2,20}(?:[\s~]*(?:-{1,3}|–|/)[\s~]*[^\W\d_]{3,20})?)[\s~.:]*"
    r"(?:\\(?:the[A-Za-z@]+|arabic\s*\{[^{}]*\})[\s~.:]*){0,3}\}"
)


_STEPPED = regex(r"\\refstepcounter\s*\{(?P<counter>[A-Za-z]+)\}")
_COUNTED = regex(
    r"(?:\\textbf\s*\{|\\(?:bf|bfseries)(?![A-Za-z])\s*)\s*(?P<word>[^\W\d_]{3,20})[\s~]*"
    r"\\the(?P<counter>[A-Za-z]+)"
)
_NUMBER = r"(?:\\(?:the[A-Za-z]+|(?:arabic|[Rr]oman|[Aa]lph)\s*\{[^{}]*\})[\s.~]*(?:\\[ ,])?){1,3}"
_NAMED_BY = regex(
    r"\\(?:text(?:bf|sc|it|sf)|emph|(?:sub)?paragraph\*?|(?:bf|sc|sf|it)(?:series|shape|family)?"
    r"(?![A-Za-z]))[\s{]*"
    r"(?:\\(?!the|arabic|[Rr]oman|[Aa]lph|label|ref)[A-Za-z]+[\s{]*){0,3}"
    rf"(?:#(?P<before>[1-9])[\s~}}]*(?:\\[ ,])?{_NUMBER}|{_NUMBER}[\s~:]*#(?P<behind>[1-9]))"
)
_NO_STATEMENTS = frozenset(
    """figure table listing code program algorithm scheme box chart photo plate diagram equation
    part chapter section appendix lecture lesson session unit sheet day week footnote""".split()
)
"""Words before the number of a float or heading."""


_BLANKS = regex(r"\s{2,}")


def _head(begin: str) -> str:
    """The first characters of a begin, without the blanks that comments leave."""
    return _BLANKS.sub(" ", begin)[:_LONGEST]


def opens(begin: str) -> str | None:
    """What an environment's begin prints, if that is just "Proof", perhaps with the result."""
    shown = _LAYOUT.sub(lambda match: match["kept"] or " ", unaccented(_head(begin)))
    return " ".join(shown.split()) if _PROOF.fullmatch(shown) else None


def opens_statement(begin: str) -> str:
    """The kind that an environment's begin prints, at most with a number; "" if anything else.

    A word that is not set apart, for example in bold, is not a heading.
    """
    if "\\" not in begin:
        return ""
    shown = _LAYOUT.sub(lambda match: match["kept"] or " ", unaccented(_head(begin)))
    found = _STATEMENT.fullmatch(shown)
    return named_kind(found["kind"]) if found else ""


def heads_with(begin: str) -> str:
    """The kind that is the only bold text of an environment's begin, except a number; else ""."""
    found = _BOLD.search(unaccented(_head(begin)))
    words = re.findall(r"[^\W\d_]+", found["words"]) if found else ()
    return next(filter(None, map(named_kind, words)), "")


def counted_word(begin: str) -> str:
    """The bold word of a begin before the number of a counter that it steps; else ""."""
    stepped = _STEPPED.search(_head(begin))
    found = _COUNTED.search(unaccented(_head(begin)), stepped.end()) if stepped else None
    if not stepped or not found or found["counter"] != stepped["counter"]:
        return ""
    word = found["word"].lower()
    return "" if word in _NO_STATEMENTS else kind_of("", word)


def naming_argument(begin: str) -> str:
    """The argument, such as `#1`, that a begin prints next to the number that it steps; else ""."""
    stepped = _STEPPED.search(_head(begin))
    found = _NAMED_BY.search(_head(begin), stepped.end()) if stepped else None
    return f"#{found['before'] or found['behind']}" if found else ""


def begin(printed: str) -> str:
    """The code that begins the proof for which an environment stands; "" if it is not a proof."""
    found = _PROOF.fullmatch(unaccented(printed))
    if found is None:
        return ""
    return f"\\begin{{proof}}[{printed.strip()}]" if found["of"] else "\\begin{proof}"
