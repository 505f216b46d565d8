"""What is left in a text by mistake is found, each by its example; what looks like it is silent."""

import pytest

from pfcore.checks.debris import (
    WORDS,
    DebrisKind,
    debris,
    is_about_models,
    is_in_formula,
    names_a_model,
)
from pfcore.domain.lazy_regex import word_tables

EXAMPLES = [
    (kind, pattern, example)
    for kind, parts in word_tables(WORDS).items()
    for listed in parts.values()
    for pattern, example in listed.items()
]


def kinds(text):
    return {item.kind.value for item in debris(text)}


@pytest.mark.parametrize(
    "around", ["%s", "\\section{One}\nWe prove more.\n\n%s\n\nThen it is clear.\n"]
)
def test_each_pattern_is_found_in_its_example_and_in_a_paper(around):
    also = {DebrisKind.SPOKEN: DebrisKind.OPENING}  # where it begins a paragraph
    assert [
        one
        for one in EXAMPLES
        if not {one[0], also.get(DebrisKind(one[0]), one[0])} & kinds(around.replace("%s", one[2]))
    ] == []


def test_there_are_many_examples_of_each_kind():
    assert len(EXAMPLES) >= 100
    assert {kind for kind, _, _ in EXAMPLES} == set(DebrisKind)


@pytest.mark.parametrize(
    "text",
    [
        "As an AI\nlanguage model, I cannot.",
        "as an AI~language model, I",
        "CERTAINLY! Here is the proof",
        "Text \\textbf{[Insert Figure 2 here]} text",
        "By Theorem~??, done.",
        "by Lemmas~?? and~3",
        "\\author{[Your Name]}",
        "\\emph{As a language model, I do not}",
        "$x$ and [citation needed] and $y$",
        "see \\url{https://a.example/b?utm_source=chatgpt.com}",
        "\\textcolor{red}{TODO: say why}",
        "{\\bf XXX: check}",
        "(TBD)",
        "\\cite{???}",
        "\\cite[?]{gauss}",
        "by \\citealp[see][?]{gauss}",
        "by \\parencite[?]{gauss}",
        "by \\Textcite*[?]{gauss}",
        "by \\cite [?]{gauss}",
        "by \\citep[see][?]{gauss}",
        "by \\autocite[see] [?]{gauss}",
        "as in [?]{} it holds",
        "as in [?] {\\em of course}",
        "Let me know if you have any other questions!",
    ],
)
def test_other_ways_to_write_it_are_found_too(text):
    assert kinds(text)


INNOCENT = [
    "Its evaluation is not free, of course. Here is the map in action:",
    "(This proof uses choice. Let me know if you have a proof without it.)",
    "% As an AI language model, I cannot verify this.",
    "\\begin{verbatim}\nAs an AI language model, I cannot.\n\\end{verbatim}",
    "\\verb|turn0search1| is a mark",
    "\\begin{itemize}\\item[?] Is it so?\\item [?] Or so?\\end{itemize}",
    "\\para[?]{Why does it work} It is clear. \\para*[?]{Does it} So it is.",
    "It replies ``As an AI language model, I cannot verify this.''",
    'It replies "I\'m sorry, but I cannot do that." and stops.',
    "It replies \\enquote{As of my last knowledge update, none is known}.",
    "It replies “I hope this helps!” each time.",
    "Es sagt „Als KI-Sprachmodell kann ich das nicht.“ dazu",
    "Il dit « Voici une version révisée » et s'arrête",
    "\\texttt{<|im_end|>} is a token",
    "\\begin{quote}Certainly! Here is the proof.\\end{quote}",
    "\\begin{quotation}\nI apologize for the confusion.\n\\end{quotation}",
    "\\begin{tcolorbox}[title=Prompt]\nSure, here's a version.\n\\end{tcolorbox}",
    "\\begin{lstlisting}\nTODO: write\n\\end{lstlisting}",
    "\\iffalse [insert citation here] \\fi",
    "We use GPT-4 as an AI language model in all experiments.",
    "A large language model, in particular, is trained on text.",
    "As a language, modelled on English, it has few verbs.",
    "the TODO list of the scheduler",
    "El resultado, SOBRE TODO EN CASO GENERAL, es cierto",
    "El resultado es cierto, SOBRE TODO\n\nEN EL CASO GENERAL",
    "We put this on the list of things TODO\nand go on.",
    "We call the list $L$ TODO\nlist and go on.",
    "Se resuelve todo: primero el caso lineal.",
    "Here is a proof of the revised theorem.",
    "Here is an example. Here are the details.",
    "We insert [inserting it here would be wrong",
    "the interval $[a, b]$ and the set $[n]$",
    "$X^{XXX}$ and $XXX: Y$",
    "the matrix $XXX$ is symmetric",
    "Is this true? Why not??",
    "Vraiment ?",
    "Really?? Yes",
    "the operator $??$ of logic",
    "$a \\mathbin{??} b$",
    "Theorem 2? No.",
    "\\newcommand{\\todo}[1]{}",
    "\\documentclass[11pt]{article}",
    "\\usepackage[final]{graphicx}",
    "a draft horse, a draft of air and the military draft",
    "This was drafted in 1990",
    "Great questions of analysis remain",
    "You would like me to prove it.",
    "Feel free to skip this section.",
    "I am grateful to John and Jane.",
    "footnotes** and a*b**c",
    "$a**b$ and $x ** y$ in Python",
    "A \\# B and \\#\\# C",
    "\\cite{todorcevic} and \\ref{todo-list}",
    "\\cite{xxx-group} and \\cite{key98}",
    "\\begin{tabular}{c}??\\end{tabular}",
    "E-mail: ada@math.example.edu",
    "arXiv:2301.12345",
    "[12] and [3, 4]",
    "[web site]",
    "\\item[Add multiple:] of one row to another",
    "``\\cite{}'' prints nothing",
    "in the limit, I believe, as a model, I",
    "Travelling Optimisation by Directed Objects (TODO) is a heuristic.",
    "We count TODO and FIXME comments in two programs.",
    "FIXME notes are counted, too.",
    "The Tree Bound Distance (TBD) is a metric, and TBD decreases.",
    "The operations are [insert key], [insert name] and [delete name].",
    "Here is a revised version of the bound of Landau.",
    "Hier ist eine überarbeitete Fassung der Schranke von Landau.",
    "Voici une version améliorée de la borne de Landau.",
    "\\caption{[Insert a vertex.]}",
    "Start with $[$Insert a vertex.$]$ and [Add an edge.]",
    "for a function to be determined later in the proof",
    "This constant, to be determined later, is small.",
    "Das ist einzufügen, wie oben gezeigt.",
    "Der Beweis folgt [Satz 3 fehlt].",
    "Il faut compléter [la base] en une base.",
    "Le reste est laissé à faire.",
    "In Section X we meet Figure 10.",
    "Group XX and Table A.1",
    "An AI assistant may help here.",
    "The word {\\bf yes} and \\textbf{no}?",
    "Wenn du möchtest, lies weiter.",
    "Natürlich, hier gilt Gleichheit nicht.",
    "N'hésitez plus à calculer.",
    "a project of 1990, grant no. 12345",
    "Write down the abstract definition here.",
    "See Table XX and Section XX.",
    "Here is a revised version of the proof of Landau.",
    "The parameter \\texttt{utm_source=chatgpt.com} tells where one comes from.",
    "The work presented in this chapter is incomplete.",
    "We thank an anonymous referee, and the anonymous reviewers.",
    "\\thanks{The authors thank an anonymous referee.}",
    "\\title{Anonymous communication on a ring}",
    "\\address{Anonymous Communication Laboratory, Graz}",
    "\\author{Anon Ymous\\'e}".replace("Anon Y", "Anja Anony"),
    "An anonymous author of the tenth century proved this.",
    "Identifiers of patients were removed for anonymization.",
    "The names of all nodes are hidden for anonymity of the ring.",
    "His diary was not intended for publication.",
    "Remarks not meant for publication were found in his letters.",
    "A coin is removed for each blind review of the protocol by a player.",
    "Double-blind review is a game with two players.",
    "Seine Briefe waren nicht zur Veröffentlichung bestimmt.",
    "Die Namen wurden zur Anonymisierung der Daten durch Nummern ersetzt.",
    "Nous remercions un rapporteur anonyme.",
    "Ses lettres n'étaient pas destinées à la publication.",
    "\\section{Anonymous credentials}",
    "We use the scheme (anonymous for the verifier).",
]


def test_what_looks_like_it_is_silent():
    assert [text for text in INNOCENT if kinds(text) != set()] == []


def test_there_are_many_innocent_texts():
    assert len(INNOCENT) >= 40


BLIND = {
    "xxx-check": "The sign here is right. XXX check sign",
    "cite-here": "This is well known [CITE HERE].",
    "needs-ref": "The bound is classical (NEEDS REF).",
    "citation-needed": "Every such group is finite [citation needed].",
    "cn-braces": "Every such group is finite \\{\\{citation needed\\}\\}.",
    "fixme-colon": "FIXME: the constant is wrong.",
    "todo-bracket": "[TODO: prove this for odd $n$]",
    "to-be-completed": "\\textbf{To be completed.}",
    "to-be-written": "This section is to be written.",
    "proof-to-be-added": "[proof to be added]",
    "add-proof-here": "(add proof here)",
    "insert-figure": "[Insert Figure 2 about here]",
    "insert-ref": "<insert reference here>",
    "ref-q": "By a theorem of Gauss (ref?) the sum vanishes.",
    "tripleq": "The constant is $2\\pi$ ??? and so on.",
    "check-this": "The map is open [check this].",
    "author-initials-note": "[JK: is this still true when $p=2$?]",
    "tk": "The first such result is due to TK in TK.",
    "tbd": "The value of the constant is TBD.",
    "tba": "The proof: TBA.",
    "wip": "Work in progress -- do not distribute.",
    "draft-nodist": "DRAFT -- not for circulation",
    "placeholder-word": "This is a placeholder for the introduction.",
    "lorem": "Lorem ipsum dolor sit amet, consectetur adipiscing elit.",
    "your-name": "\\author{[Your Name]}",
    "your-inst": "\\address{Your Institution, Your City}",
    "your-email": "\\email{your.email@example.com}",
    "title-here": "\\title{Your Title Here}",
    "abstract-here": "\\begin{abstract}Your abstract goes here.\\end{abstract}",
    "author-names": "\\author{First Author and Second Author}",
    "date-ph": "Received [DATE]; accepted [DATE].",
    "doi-ph": "doi:10.xxxx/xxxxx",
    "arxiv-ph": "arXiv:XXXX.XXXXX",
    "grant-ph": "Supported by grant no.\\ XXXXX.",
    "sect-ph": "see Section XX for the details",
    "lemma-ph": "by Lemma X.X we are done",
    "eq-ph": "by equation (XX) we obtain the claim",
    "theorem-blank": "by Theorem \\_\\_\\_ the claim follows",
    "fill-in": "(fill in the details)",
    "fill-gap": "[fill this gap later]",
    "sure-here": "Sure, here is the revised version of the lemma:",
    "certainly": "Certainly! Here's a rigorous proof of the statement.",
    "of-course": "Of course! Below is the corrected LaTeX code.",
    "suggestions": "Here are some suggestions to improve the exposition:",
    "hope-helps": "I hope this helps!",
    "let-me-know": "Let me know if you'd like me to expand on any step.",
    "feel-free": "Feel free to adjust the notation to match your paper.",
    "would-you-like": "Would you like me to also prove the converse?",
    "as-ai": "As an AI language model, I cannot verify this computation.",
    "as-llm-variant": "As a large language model trained by OpenAI, I do not have access to the "
    "literature.",
    "cutoff": "As of my knowledge cutoff in September 2021, this is open.",
    "last-update": "As of my last update, the conjecture remains open.",
    "last-training": "Based on my training data up to 2023, no counterexample is known.",
    "cant-browse": "I cannot browse the internet to confirm this reference.",
    "no-access": "I don't have access to real-time information about this.",
    "apologize": "I apologize for the confusion. You are right that the sign was wrong.",
    "youre-right": "You're absolutely right, the earlier argument was circular.",
    "great-question": "Great question! The answer depends on the parity of $n$.",
    "regenerate": "Regenerate response",
    "chatgpt-said": "ChatGPT said:",
    "you-said": "You said: prove the lemma in a cleaner way",
    "copy-code": "Copy code",
    "thought-for": "Thought for 34 seconds",
    "here-is-latex": "Here is the LaTeX code for the proof:",
    "revised-version": "Below is a revised version of your paragraph with improved flow:",
    "rewritten": "Here is a rewritten version that is more concise:",
    "improve-end": "This version improves clarity and maintains a formal academic tone.",
    "key-changes": "Key changes made: I simplified the notation and fixed the grammar.",
    "note-incomplete": "Note: this proof is incomplete and should be verified by an expert.",
    "verify-citations": "Please verify these references, as they may not be accurate.",
    "replace-actual": "Replace this with your actual data.",
    "please-replace": "(please replace with the correct citation)",
    "hypothetical-ref": "[Note: this is a hypothetical reference]",
    "user-prompt": "Prompt: rewrite the following paragraph in academic English.",
    "assistant-role": "Assistant: Let us consider the map $f$.",
    "im-start": "<|im\\_start|>assistant",
    "endoftext": "<|endoftext|>",
    "inst": "[INST] Prove the lemma. [/INST]",
    "think-tag": "<think>We need to show that</think>",
    "fence": "```latex",
    "md-bold": "**Step 1.** We first show that the map is well defined.",
    "md-head": "\\#\\#\\# Proof of Lemma 2",
    "citeturn": "The problem is open. citeturn0search3",
    "citeturn-marks": "The problem is open \ue200cite\ue202turn0search1\ue201.",
    "oaicite": ":contentReference[oaicite:2]\\{index=2\\}",
    "lenticular": "This is known 【4†source】.",
    "utm": "\\url{https://example.org/paper?utm_source=chatgpt.com}",
    "utm-openai": "\\url{https://example.org/paper?utm_source=openai}",
    "grok": '<grok-card data-id=\\"3\\">',
    "sandbox": "\\href{sandbox:/mnt/data/plot.png}{download}",
    "attributable": "attributableIndex 12",
    "copilot": "generated by GitHub Copilot",
    "claude-artifact": '<antArtifact identifier=\\"proof\\">',
    "filecite": "filecite turn0file0",
    "continue-q": "(continued in the next message)",
    "as-requested": "As requested, I have shortened the introduction to 150 words.",
    "sorry-cant": "I'm sorry, but I can't assist with that request.",
    "unable": "I am unable to view the figure you have provided.",
    "in-this-response": "In this response, I will prove the theorem step by step.",
    "proof-left-llm": "[Proof omitted for brevity -- insert full proof]",
    "de-todo": "Hier fehlt noch der Beweis.",
    "de-einfuegen": '[hier Zitat einf\\"ugen]',
    "de-quelle": "Dies ist bekannt [Quelle?].",
    "de-quelle-fehlt": "Das ist klassisch (Quelle fehlt).",
    "de-ergaenzen": '(noch zu erg\\"anzen)',
    "de-ki": 'Als KI-Sprachmodell kann ich diese Rechnung nicht pr\\"ufen.',
    "de-hier-ist": 'Gerne! Hier ist die \\"uberarbeitete Fassung des Abschnitts:',
    "de-hoffe": "Ich hoffe, das hilft dir weiter!",
    "de-lassmich": 'Lass mich wissen, wenn du weitere \\"Anderungen m\\"ochtest.',
    "de-platzhalter": 'Dies ist ein Platzhalter f\\"ur die Einleitung.',
    "de-name": "\\author{[Ihr Name]}",
    "de-stand": "Nach meinem Wissensstand von 2023 ist die Frage offen.",
    "de-entwurf": "Entwurf -- nicht weitergeben",
    "de-nachpruefen": '[nachpr\\"ufen!]',
    "fr-todo": "\\`A COMPL\\'ETER",
    "fr-faire": "[\\`a faire : d\\'emontrer le lemme]",
    "fr-ref": "C'est bien connu (r\\'ef?).",
    "fr-refmanq": "C'est bien connu [r\\'ef\\'erence manquante].",
    "fr-ia": "En tant que mod\\`ele de langage, je ne peux pas v\\'erifier ce calcul.",
    "fr-voici": "Bien s\\^ur ! Voici la version r\\'evis\\'ee du paragraphe :",
    "fr-espere": "J'esp\\`ere que cela vous aide !",
    "fr-nhesitez": "N'h\\'esitez pas \\`a me dire si vous souhaitez d'autres modifications.",
    "fr-nom": "\\author{[Votre nom]}",
    "fr-inserer": "[ins\\'erer la citation ici]",
    "fr-maj": "Selon ma derni\\`ere mise \\`a jour, la conjecture est ouverte.",
    "fr-verif": "(\\`a v\\'erifier)",
    "fr-brouillon": "Brouillon -- ne pas diffuser",
}
"""Kinds that were invented before a look at the words; 65 of these 127 were found then."""


def test_what_somebody_invented_without_a_look_at_the_words_is_found():
    assert [
        name
        for name in BLIND
        if not kinds(f"We prove more.\n\n{BLIND[name]}\n\nThen it is clear.\n")
    ] == []


LATER = [
    "See [REFERENCE NEEDED] for the general case.",
    "The following is a placeholder proof.",
    "(Reference to be inserted.)",
    "(who proved this first?? check)",
    "**Note:** the bound can be improved.",
    "Absolutely! Here's an improved abstract:",
    "I've rewritten the introduction for clarity.",
    "Would you like a more detailed version of this proof?",
    "As an artificial intelligence, I do not have opinions.",
    "I do not have the ability to verify external sources.",
    "My training data only goes up to 2023.",
    "You can customize the following template.",
    "Here's a polished abstract:",
    "In summary, the revised text is as follows:",
    "Feel free to let me know if anything is unclear.",
    "Thank you for your message. Below is the corrected proof.",
    "[Figure: plot of the function]",
    "[Insert table of values]",
    "\\textcolor{red}{add reference}",
    "\\textbf{CHECK}",
    "@@@ fix this",
    "\\emph{to do}",
    "To do: prove the lower bound.",
    "[Author names withheld for review]",
    "\\author{Anonymous Author(s)}",
    "Address line 1, City, Country",
    "name@university.edu",
    "\\title{My Paper}",
    "\\keywords{keyword1, keyword2, keyword3}",
    "\\date{Month Day, Year}",
    "Acknowledgements go here.",
    "[Quellenangabe]",
    'TODO: Beweis erg\\"anzen',
    'Nat\\"urlich, hier ist eine verbesserte Version:',
    "Gern geschehen!",
    "Sag Bescheid, wenn du noch Fragen hast.",
    "[\\`A COMPL\\'ETER]",
    "TODO : citer Serre",
    "Voici le texte corrig\\'e :",
    "Je reste \\`a votre disposition pour toute question.",
    "(voir r\\'ef.\\ ??)",
    "<placeholder>",
    "search results: turn1view0",
    "```",
    "[need to cite Serre here]",
    "(missing reference)",
    "[ref.\\ to be checked]",
    "FIXME the induction does not start",
    "[AB: I think the factor is $2$, please check!]",
    "XXX: is $f$ continuous?",
    "This is where the proof of Lemma 4 goes. TODO!",
    "Note that $f(x) = g(x) = y$ TODO\n\nThus $f$ is tame.",
    "Hence the map is tame TODO\n\\end{proof}",
    "Hence \\emph{it is} TODO. \\qed",
    "\\begin{itemize}\n\\item TODO\n\\item Clear.\n\\end{itemize}",
    "\\section{Introduction} TBD",
    "(insert diagram)",
    "\\textcolor{red}{check this constant}",
    "\\author{Name Surname}",
    "\\title{Insert title here}",
    "\\begin{abstract} Type your abstract here. \\end{abstract}",
    "\\email{first.last@university.edu}",
    "arXiv:2XXX.XXXXX",
    "doi: 10.xxxx/yyyy",
    "Grant Number XXXX-XXX",
    "DRAFT, do not cite",
    "Certainly, here is the corrected proof:",
    "Sure! I'd be happy to help with that.",
    "Here's a step-by-step proof of the lemma:",
    "I'm just an AI, so I can't check this.",
    "As an AI developed by OpenAI, I can't provide references.",
    "I cannot provide a complete proof, but here is an outline.",
    "Please let me know if you need further clarification.",
    "If you need any more changes, just let me know!",
    "Do you want me to include the diagrams as well?",
    "Note: The above references are fictional and should be replaced.",
    "ChatGPT can make mistakes. Check important info.",
    "You've reached your limit.",
    "[oai_citation:3\\dag arXiv]",
    "\\url{https://arxiv.org/abs/1234.56789?utm_source=chatgpt.com}",
    "<|endofprompt|>",
    "```tex",
    "\\#\\# Conclusion",
    "**Proof.** By induction.",
    '[Beweis einf\\"ugen]',
    "(Quelle?)",
    "Als KI-Assistent habe ich keinen Zugriff auf aktuelle Literatur.",
    "Hier ist die verbesserte Version deines Textes:",
    'Selbstverst\\"andlich! Ich habe den Text \\"uberarbeitet.',
    "[\\`a compl\\'eter]",
    "(r\\'ef\\'erence \\`a ajouter)",
    "En tant qu'assistant IA, je n'ai pas acc\\`es \\`a internet.",
    "Bien s\\^ur, voici la preuve corrig\\'ee :",
    "Espero que esto ayude.",
    "Spero che questo ti sia utile!",
]
"""Of two later lists 14 of 50 and 31 of 48 were found before their words were taken in."""


def test_what_later_lists_have_is_found():
    assert [
        text for text in LATER if not kinds(f"We prove more.\n\n{text}\n\nThen it is clear.\n")
    ] == []


LOOK_ALIKES = [
    "The word $xxx$ has no square-free factor, and $\\mathrm{XXX}$ denotes the triple.",
    "We write $???$ for an unknown letter in the puzzle; see the hardness of \\texttt{CITE}.",
    "This proof is incomplete without the Axiom of Choice; Note that choice is used twice.",
    "I hope this helps the reader to understand the idea of Section 2.",
    "Let us know that $f$ is continuous; let me explain how the proof works.",
    "Large language models are trained on a corpus with a knowledge cutoff; see \\cite{a}.",
    "Participants typed ``As an AI language model'' in 3\\% of the answers.",
    "The phrase ``Sure, here is'' is a common opening of the replies of GPT-4 in our data.",
    "The space of placeholders is a free module; each placeholder variable is bound once.",
    "Here are some suggestions for further reading: \\cite{a}.",
    "Of course, the converse is false; certainly the map is open.",
    "We would like to thank the referee for many suggestions which improve clarity.",
    "In the last update of the iteration the step size is halved.",
    "As of my talk in Bonn, this is known.",
    "To fill in the details, one uses the five lemma.",
    "We fill the gap in the proof of Theorem 3 of \\cite{a}.",
    "The algorithm inserts a reference to the node here and there.",
    "The details of the proof are to be written in a forthcoming paper \\cite{a}.",
    "Theorem XX of Legendre and Section XX of Gauss treat this; also Section XXX.",
    "Proposition X.5 of Book X in Euclid, and Lemma XX.3 of \\cite{a}.",
    "The user prompts the oracle: prompt: $x$, answer: $f(x)$.",
    "Assistant Professor A.~Miller pointed this out; the teaching assistant: M.~Klein.",
    "The list $[1, 2, \\dots]$ and the group $[G, G]$, the ring $\\mathbb{Z}[x]$.",
    "Copying code words yields a code; we copy code blocks in the encoder.",
    "If you say: the map is open, you said: it is a quotient.",
    "A great question in this area is whether the conjecture holds.",
    "Continued fractions are continued in the next section.",
    "The TK-model (Tanaka--Kato) and the TBA equations (thermodynamic Bethe ansatz).",
    "You are right-handed if your frame is positive; you're absolutely free to choose $\\epsilon$.",
    "The draft of this paper was circulated in 2019.",
    'Hier fehlt der Index $i$ in der Notation; der Beweis ist zu erg\\"anzen durch Lemma 2.',
    "Ich hoffe, dass dies dem Leser hilft.",
    "Der Entwurf dieses Algorithmus; die Quelle des Flusses ist $s$.",
    "Nous laissons au lecteur la t\\^ache de compl\\'eter la preuve.",
    "Il reste \\`a v\\'erifier que $f$ est continue, ce qui est facile.",
    "Voici la version de ce r\\'esultat pour les corps finis.",
    "The command \\texttt{**kwargs} and the operator $a ** b$; footnote marks ** and ***.",
    "The sets $A \\# B$ and $\\#\\#$ denote multiplicities.",
    "The replacement rule: replace this with $y$, and please note the order.",
    "The token \\texttt{<|endoftext|>} separates documents in the training data.",
    "Your name is written on a hat; each player sees your name but you do not.",
    "An email address such as your.email is a string over $\\Sigma$.",
    "No access structure is perfect; I do not have access to a computer here.",
    "We apologize for the confusion caused by the notation in \\cite{a}.",
    "Would the reader like another proof? There is one in \\cite{a}.",
    "What would you like to prove? Start from the definition.",
    "See Figure 3: a torus [Figure 3] and [Table 2: see \\cite{a}] .",
    "We thank A. Reference for help; the second author (TK) was supported by the NSF.",
    "It remains to do: the case $p=2$. To do this, note that $f$ is flat.",
    "We know what \\emph{to do} next, and what is left\n\\textbf{to do}.",
    "The red edges need to be added; \\textcolor{red}{red} and \\textcolor{red}{edge $e$}.",
    "\\textcolor{red}{Add} and \\textcolor{blue}{subtract} are the two operations.",
    "The knowledge cutoff of GPT-4 matters; my knowledge of this field stops at surfaces.",
    "You're welcome to skip this section; let me know if you find a mistake.",
    "The revised text of the theorem in \\cite{a} reads: every group is finite.",
    "\\date{March 3, 2020}",
    "\\date{Yearbook 1999}",
    "\\title{My favourite primes}",
    "\\author{Author Ravenel and First Last-Name Jr.}",
    "\\textbf{Check.} We check the cocycle condition.",
    "The message contentRef and a placeholder below are as follows.",
    "NEED: the network evolution and energy device; REF is a field; \\textsc{Ref Here}.",
    "Note: this proof is incomplete in \\cite{a}, as the case $n=2$ is missing.",
    "Email: name.surname@math.univ-paris.fr",
    "The following are placeholders in the sense of Definition 2.",
    "As before, $\\lim g(x)=\\lim f(x)$. (Draw a picture!)",
    "Proof that the algorithm is correct (draw a picture!)",
    "$$\\text{(state equation)}$$ and (give a proof)",
    "With the following commands you can customize the style of algorithms.",
    "The argument given here is not clear. Please provide more details.",
    "\\pgfplotslistnew#3{@@@@@temporary@column@}",
    "Find a counterexample. (Provide an example.)",
]


def test_look_alikes_that_were_invented_without_a_look_are_silent():
    assert [
        text
        for text in LOOK_ALIKES
        if kinds(f"We prove more.\n\n{text}\n\nThen it is clear.\n") != set()
    ] == []


def test_an_address_is_no_quotation():
    assert kinds("\\texttt{https://a.example/?utm\\_source=chatgpt.com}") == {"mark"}


def test_what_tex_says_while_it_runs_is_not_printed():
    said = "\\ClassError{own}{Use the `quote` environment instead of `quotation`}{TODO: say why}"
    assert not kinds(f"\\renewenvironment{{quotation}}{{{said}}}\\typeout{{As an AI model, TBD}}")
    assert kinds("Use the `quote` environment instead of `quotation`.")


def test_definitions_are_not_printed():
    text = "\\newcommand{\\gap}{[insert citation here]}\nText."
    assert debris(text, [(0, text.index("\n"))]) == ()


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("As of my last update, no proof is known.", True),
        ("This is open as of my most recent cut-off.", True),
        ("Stand meines letzten Wissensupdates ist sie offen.", True),
        ("Nach meinem Wissensstand von 2023 ist das offen.", True),
        (r"Selon ma derni\`ere mise \`a jour, cela est ouvert.", True),
        ("I hope this helps!", False),
        ("We describe the last update of the state.", False),
    ],
)
def test_what_a_program_knows_names_one(text, is_named):
    assert names_a_model(text) is is_named


def test_a_paper_on_language_models_is_known_by_its_words():
    assert is_about_models(["A language model.", "ChatGPT and other LLMs say"])
    assert not is_about_models(["We thank ChatGPT.", "A model of the theory."])


@pytest.mark.parametrize(
    ("text", "is_inside"),
    [("$a$ x", False), ("$a x", True), (r"\$ x", False), (r"\[ x", True), ("$a\n\nb x", False)],
)
def test_a_place_in_a_formula_is_known_by_the_signs_before_it(text, is_inside):
    assert is_in_formula(text, len(text) - 1) is is_inside


@pytest.mark.parametrize(
    "text",
    [
        r"(réf?)",
        r"(r\'ef?)",
        r"(r\'{e}f?)",
        r"(r{\'e}f?)",
        "(re\u0301f?)",
        r"Hier ist die \"uberarbeitete Fassung: Sei",
        r"Hier ist die \"{u}berarbeitete Fassung: Sei",
        r"Hier ist die {\"u}berarbeitete Fassung: Sei",
        r'Hier ist die "uberarbeitete Fassung: Sei',
        r"Als gro\ss{}es Sprachmodell habe ich",
        r"Als gro{\ss}es Sprachmodell habe ich",
        r"Bien s\^ur ! Voici",
        r"[ici ins\'erer la citation]",
    ],
)
def test_accents_are_read_however_they_are_typed(text):
    assert kinds(text)
