"""The words around a reference: phrases that use what they name, and phrases that only name it.

They are English unless their name says otherwise. A phrase is written in words: `a|b` is either,
`a*` has any ending, `a?` may be missing, `...3` are up to three words, `<use>` is a class of
phrases, one on each line. Phrases match text in which single spaces part words and signs, and `@`
is another reference.
"""

CLASSES = {
    "use": """
        use|uses|used|using|need|needs|needed|require|requires|required|requiring|invoke|invokes
        invoked|invoking|apply|applies|applied|applying|employ|employs|employed|employing
        cite|citing|assume|assumes|assuming|assumed
        rely|relies|relied|relying|depend|depends|depending|draw|build|builds|call|calls upon|on
        appeal|appealing|resort|resorting|refer|referring|recourse|reference|return to
        make|makes|making any? use|appeal of|to
        any|the? use|help|aid|knowledge of
        go|goes|going through
        follow|follows|followed|following from
        be ...1 from|by|using|with|via""",
    "or": "...2 or|nor|and",
    "using": """
        any|the? use|help of
        using|applying|invoking|assuming|knowing|citing
        any|the? appealing|appeal|resorting|recourse|reference|referring to
        relying|depending|drawing upon|on
        making use of
        going through""",
    "filler": """
        even|here|yet|actually|explicitly|really|otherwise|again|itself|however|therefore|,
        have|need|want|wish to
        at any point
        in this|fact proof|argument?""",
    "not": """
        not|never|cannot|nowhere|don't|doesn't|didn't|can't|won't <filler>? <filler>? <filler>?
        no longer <filler>?""",
    "show": """
        prove|proved|proven|show|shown|see|seen|establish*|verif*|deriv*|deduc*|demonstrate*
        discuss*|explain*|study|studied|treat*|check*|explore*|obtain*|remove*|return|present*
        construct*|handle*|complete*|describe*|consider*|find|found|justif*|given""",
    "kin": """
        converse|analogue|analogues|analog|analogs|counterpart|counterparts|generalization
        generalisation|generalizations|generalisations|extension|extensions|refinement|refinements
        strengthening|strengthenings|improvement|improvements|weakening|sharpening""",
    "better": """
        analogue|analogues|analog|counterpart|generalization|generalisation|generalizations
        generalisations|refinement|refinements|strengthening|improvement|improvements|variant""",
    "instance": """
        special|particular|limiting|extreme|trivial|$ case|cases
        reformulation|restatement|statement|statements
        <variant>""",
    "variant": "version|versions|form|variant|variants|dual",
    "amend": """
        generalize|generalise|strengthen|sharpen|improve|refine|extend|relax|weaken|remove|drop
        generalized|generalised|strengthened|sharpened|improved|refined|extended|relaxed|weakened
        removed|dropped""",
    "other": """
        discussion|examples|example|variant|variants|counterexample|counterexamples
        different|another|second|alternative proof|argument|approach
        <kin>
        <stronger> ...2""",
    "celle": "celle|celui|celles|ceux? de|du|des",
    "stronger": """
        stronger|sharper|better|weaker|finer|similar|analogous|related|improved|refined|alternative
        generalized|generalised
        more general|precise|refined|detailed""",
    "is": """
        is|are|was|were
        can|may be found in
        appears|appear in
        is|are|was|were|be ...1 given|found|proved|proven|shown|established|stated|obtained in
        is|are|was|were|be ...1 given|found|proved|proven|shown|stated later|below in""",
    "will": """
        will|shall|we'll ...1
        going to""",
    "later": "later|below|again|only|also|afterwards|crucially",
    "proof": "the|our|this? proof|proofs of",
    "purpose": """
        in|for|towards|toward <proof>?
        to prove|show|establish|derive|deduce|obtain <proof>?
        when|in|for proving|showing|establishing|deriving <proof>?""",
    "place": """
        the|our? situation|case|setting|approach|bound|result|argument|proof|statement of|in|from
        what ...3 of|in|from
        that|those of|in|from""",
    "like": "the? same|similar|identical|analogous as|to",
    "plain": "easy|simple|immediate|direct|special|trivial|straightforward",
    "ordinal": "first|second|third|last|other|final",
    "item": """
        ...1
        ( ...1 )""",
    "would": "will|shall|would then|later|also|further?",
    "more": "an|a|the|some|more|another|further ...1",
    "that": """
        in|for|of
        that of|in
        the one of|in""",
}  # fmt: skip

NOTATION = """
    notation|notations|terminology|symbols|conventions of|from
    the|our notation|notations|terminology|symbols|conventions in
    notation|notations|terminology|symbols|conventions as in
    notation|notations|terminology|symbols|conventions introduced|fixed|used in|for|before
    notation|notations and assumptions|hypotheses|conventions|definitions as? of|in|from
    assumptions|hypotheses|conventions|definitions and notation|notations as? of|in|from
"""
"""Before a reference whose words alone are wanted."""

USED = """
    by|via|from|using|apply|applies|applying|use|uses|invoke an|a|the|this? ...2 <kin> of|to
    by|via|from|using|apply|applies|applying|use|uses|invoke an|a|the|this? ...2 <instance> of
    we|us|can|may compare ...3 to|with
    am|are|is|be ...1 in the? same? setting|situation|setup|set-up|position as? of|in
    thanks|due|owing to an|a|the|this? ...2 <kin> of|to
    do|does|not|never without
"""
"""Before a reference that is used, whatever the phrases below say of its last words."""

ASIDE = """
    compare|compared|comparison also? to|with?
    cf.|cf|confer
    see also
    see , however ,
    unlike in|for|with? <place>?
    in? contrast|contrasts this|it? to|with? <place>?
    opposed|opposition to <place>?
    different|differently|distinct|differs|differ|departs from|than <place>?
    place|lieu|instead of using|applying|invoking?
    rather than by|from|to|with?
    rather than by? use|using|apply|applying|invoke|invoking
    motivated|inspired|suggested|prompted by
    reminiscent|spirit of
    analogy to|with
    similar|similarly|analogous|analogously|identical|identically to
    <not> <or>? <use>
    not by|from|via
    neither <use>?
    without <using>?
    independent|independently of
    avoid|avoids|avoided|avoiding|bypass|bypasses|bypassing|circumvent|circumvents <using>?
    no use|need|appeal|recourse|reference is? made? of|for|to
    superseded|subsumed|generalized|generalised by|in
    superseded|subsumed|generalized|generalised later|below|further by|in
    improved|strengthened|sharpened|refined upon? later|below|further? in
    improves|strengthens|sharpens|refines|supersedes|subsumes|recovers|reproves|motivates upon|on?
    generalize|generalizes|generalizing|generalise|generalises|generalising
    <kin> of|to
    <stronger> ...4 <is>
    <better> ...3 <is>
    it|this|which is|was|gives|yields also|just|only? a|an much? <stronger> version|form of
    completes|completed|completing|finishes|finished|finishing|concludes|concluding|ends <proof>
    to|we|will|shall|now now? complete|finish|conclude <proof>
    to|we|will|shall|now now? prove|show|establish|deduce|verify|derive
    proving|showing|establishing|deducing|verifying|deriving
    turn|turning|proceed|pass|return|come|go back? to <proof>?
    is|are|was|were|be|been ...1 used|needed|required|applied|exploited <later>? <purpose>
    is|are|was|were|be|been ...1 useful|essential|crucial|important|helpful <later>? <purpose>
    <will> use|need|apply|require|exploit|employ this|it|that|these|them ...2 <later>? <purpose>
    we also|only|later? need|require this|it|that|these ...1 <later>? for
    skip|skips|skipping|jump|jumps|jumping ahead|directly|straight|forward|on? to
    if we|one only? knew|had
    weaker|stronger|similar|related ...1 version|versions|form|forms|result|results such as
    pave|paves|prepare|prepares|preparing the way|ground for|to <proof>?
    preparation|preparations|prelude|ingredient|ingredients|key of|in|for|to <proof>?
"""
"""Before a reference that is compared, announced, avoided, or what is being proved."""

LIKE = """
    same|similar|identical|analogous proof|argument|reasoning|calculation as|to <that>?
    proof|argument|reasoning|calculation is ...1 <like> <that>?
    argument|arguments|method|methods used in|for
    argument|arguments|method|methods used to prove|show|establish
"""
"""Before a reference whose proof serves here, too."""

PROOF = """
    proof|proofs given? of|for|to
    beweis|beweise|beweises von|des|zu|für
    démonstration|preuve de|du|des
"""
"""Before a reference whose proof is meant."""

HEDGED = """
    contrary to
    reduce|reduces <proof>?
    proves|implies|yields|gives|shows|establishes|verifies|obtains|deduces|confirms|completes
    prove|imply|yield|give|show|establish|verify|obtain|deduce|confirm
    implying|yielding|giving|obtaining|proved|shown|established|obtained
    <will> ...3 <show> in|to|as
    <will> ...3 <show> ...8 in|to
    be|is|are <show> only? later|below|afterwards on? in|as
    postpone|postponed|defer|defers|deferred|relegate|relegated|left|leave ...5 to|until|till|for
    converse direction|implication|inclusion|statement|result? <is>
    <variant> of
    in|to the? statement|statements of
    improve|improving|improved|strengthen|strengthening|sharpen|sharpening|refining by|on|upon?
    extends|extend|extending|extended|complements|complement
    under the? same? assumption|assumptions|hypothesis|hypotheses|conditions|setting as? of|in
    in the? same? setting|situation|setup|set-up as? of|in
"""
"""Before a reference that may be used or not: it is kept, and is no proof of a circle."""

PASSING = """
    compare ...3 to|with
    no analogue|analogues|analog|analogs|counterpart|counterparts in
    difference|differences|distinction between|from|to|with ...3 of|in?
    <will> ...1 <amend> ...4 in|by|with|to|below?
    be|is|are <amend> later|below|further ...2 in|by
    <will> justify|explain|motivate ...2 of
    similar|similarly|analogous|analogously just? as|like in? <that>?
    could|might|can|may also|instead|alternatively|equally? have? used|applied|invoked
    could|might also|instead|alternatively|equally use|apply|invoke
    reader|readers ...6 look|turn|go at|to
    idea|ideas|strategy|trick is|are|behind ...2 of|from|in
    for <more>? <other> ,? we? see|consult|refer ...2 to?
    tempting|tempted to use|apply|invoke
    <not> ...1 rest|rests|resting on|upon
    warm-up|prelude|motivation|preview for|to|of
    resemblance|similarity|parallel|parallels|likeness|connection to|with|between
    <will> ...2 dealt|treated|taken|reappear|recur|return|revisited|addressed|continued ...2 in|by
    <will> ...1 recover|reprove|re-prove|rederive|replace
    step|steps|path|way|road towards|toward
    interesting|natural|possible|worthwhile|nice ...1 to ...5 with|to
    method|methods|technique|proof|argument|construction is|are ...3 used for|in|by
    <stronger> than the? one|ones|that|those|assumption|hypothesis|bound in|of
    settle|settles|prove|proves|show|shows the ...1 case|part|half|direction|item of
    prefer ...4 to <that>
    comparison , ...1 recall|note that?
    in passing ,? that
    explains|motivates|clarifies the ...2 in|of
    come|comes|return|returns back? to ...3 in
    counterexample|counterexamples after|before|below|following|in
    improved|sharpened|strengthened|generalized|generalised , see
    know|clear|known whether
    easier|harder|simpler|shorter|longer|deeper than <that>
"""
PASSING_IN_GERMAN = """
    vergleiche|vergleichen|vgl|vergl|cf auch|dazu|hierzu|etwa|hiermit? ,? mit?
    siehe|s auch
    man? vergleiche|vergleicht|vergleichen ...3 mit
    später|unten|weiter ,? in
    analog|ähnlich|entsprechend wie? in|bei|beim|im|zu|zum|zur?
    wie in|bei|beim|im analogen|ähnlichen|entsprechenden
    analogie|gegensatz|unterschied|vergleich zu|zum|zur|mit|von?
    anders als|wie in|bei|beim|im|für?
    verallgemeinert|verbessert|verschärft|erweitert|ergänzt|motiviert
    ohne|statt|anstatt|anstelle von|des|der?
    unabhängig von
    nun|jetzt|zunächst|zuerst zeigen|beweisen wir
    wir zeigen|beweisen nun|jetzt|zunächst|zuerst
    kommen|kommt ...2 zu|zum|zur
    wird|werden ...2 später|unten|noch|weiter in|durch
    beweis|argument|rechnung ist|verläuft|geht ...2 wie der|die? in|bei|von|zu?
"""
PASSING_IN_FRENCH = """
    comparer|comparez|comparera|comparons|cf|confer ...2 aussi? avec|à|au|aux?
    voir|cf aussi|également
    contrairement|contraste|opposition à|au|aux|avec <celle>?
    à la différence de|du|des
    au lieu de|du|des
    sans utiliser|appliquer|invoquer?
    sans recours|recourir à|au|aux
    indépendant|indépendante|indépendants|indépendamment de|du|des
    généralise|généralisent|améliore|précise|renforce|étend|complète
    n'utilise|n'utilisons|n'emploie|n'applique|n'appliquons pas|jamais|plus ici|donc?
    démontrons|montrons|prouvons maintenant|ensuite|enfin
    on démontre|montre|prouve maintenant|ensuite|enfin
    semblable|semblables|analogue|analogues|similaire|identique à|au|aux <celle>?
    verra|verrons|reviendra|reviendrons ...3 à|au|aux|dans
    améliorera|améliorerons|généralisera|généraliserons ...3 à|au|aux|dans
    preuve|démonstration est la? même que|qu'à|qu'au celle? de|du|dans?
    servira|serviront|utile|utiles pour|à|au|aux|dans prouver|démontrer|montrer?
"""
"""Before a reference that is only spoken of: what it says is kept at hand, and no use is made."""

AHEAD = """
    ,? below|later? ,? we|it|one <will> ...2 <show>
    ,? below|later? ,? we|it|one <will> ...2 <amend>
"""
"""Behind a reference that a sentence begins with: "In Lemma 2 we will see"."""

USING_IN_GERMAN = "auf|von|verwenden|verwendet|benutzen|benutzt|brauchen|benötigen|gebraucht|nutzen"
NOT_IN_GERMAN = """
    hier|dabei|dafür|dazu|jedoch|aber|dann? hier|dabei|jedoch|aber? nicht|nirgends
    wird|werden|wurde|ist hier|dabei|dafür|jedoch|aber? nicht|nirgends
"""
"""Before and behind a reference of which no use is made."""

SUPPOSE = """
    suppose|supposing|assume|assuming|assumption|hypothesis ,? ...2 that?
    supposons|angenommen ,? que|dass?
"""
SUPPOSED = """
    is|are|were? true|false|wrong|valid|known
    holds|hold|fails|fail|for|in|has|were|did|does|est|gilt|ist|was|and|to
"""
"""Before and behind a reference that is only supposed to be true, or false."""

COMPARE = "compare|comparing"
WITH = "with|to"
"""Before and behind a reference that is put together with another to see what comes out."""

ONCE = """
    once|when|if this|it|that is|was|has been? known|proved|proven|shown|established|done ,?
    once|when we|one know|knows|have|has ...1 this|it|that ,?
"""
"""Before a reference that follows from what is being proved, if the words behind it say so."""

FOLLOWS = """
    then? follows|follow ...1 .|;|,
    is|are then? immediate|clear|proved|obvious .|;|,
"""
"""Behind a reference that follows."""

IF = "if"
WERE = "were|was known|true|available|proved|proven"
"""Before and behind a reference that is wished for, and not to be had."""

SEE = """
    see|consult|refer
    refer|referred to
"""

PART = """
    <ordinal>? part|parts|item|items|case|claim|half|direction <item>? of|in
    <ordinal>? part|parts|item|items|case|claim|half|direction <item> and <item> of|in
"""
DETAIL = """
    the|our|this|its|both|same|previous|preceding|earlier|later|next|following|above|main|general
    well-known|classical|celebrated|famous|deep|difficult|stronger|weaker|more|e.g|say
    ,? for example|instance ,?
    ,? e.g ,?
    le|la|les|dem|der|den|das
"""
"""Before a reference, and between any of these phrases and it, without a change of meaning."""

SUBJECT = """
    and|or|but|while|whereas|that|because|since|as|so|thus|hence|therefore|then|now|later|moreover
    dass|weil|da|que|also|where|indeed|if|when|although|though|both|however|here|,|(|)|:|;|.|$
"""
"""Before a reference that begins a clause, and is what the words behind it speak of."""

ASIDE_BEHIND = """
    will|shall later? be ...1 deduced|derived|obtained from this|it|these|ours
    is|are then|thus|also|now? a|an|the? <plain>? consequence|consequences .|;
    is|are then|thus|also|now? a|an|the? <plain>? corollary|corollaries .|;
    is|are then|thus|also|now? a|an|the? <plain>? consequence|corollary of this|it|ours
    below|later? <would> improve|generalize|generalise|sharpen|strengthen
    below|later? <would> refine|extend|supersede|subsume
    ...1 generalizes|generalises|supersedes|subsumes this|the|it|our|these|both
    generalize|generalise|supersede|subsume this|the|it|our|these|both
    improves|improve|sharpens|strengthens|refines upon|on? this|it ...3 .|;|)
    is|are|was|were|be not|never|nowhere ...1 used|needed|required|applicable|invoked
    is|are|was|were|be not|never|nowhere ...1 necessary|relevant|available|assumed
    does|do|did not|never ...1 apply .|,|;|)|here
    cannot be used|applied|invoked .|,|;|)|here
    uses|relies|depends|builds|rests upon|on? this|our
    uses|relies|depends|builds|rests upon|on? the present
"""
"""Behind a reference that is only spoken of, where it begins its clause."""

HEDGED_BEHIND = """
    plays|play|has|have|had no ...1 role|part|influence|bearing|place
    is|are false|wrong|open|unknown
    wird|werden|wurde ...1 nicht|nirgends|nie
    hier|dabei|dafür nicht|nirgends|nie
    ...1 follows|follow from|by|now|similarly|at|as|immediately|easily
    ...1 follows|follow .|;|,
    is|are ...2 proved|proven|shown|established|obtained|deduced|derived below|later|similarly|in
    below|later? will|shall
    is|are the? ...2 converse
    is|are also|just|only? a|an|the ...1 <kin> of|to
    is|are also|just|only? a|an|the special|particular case of
    is|are ...1 stronger|weaker|sharper
    is|are ...1 used|needed|applied below|later|only|in|for|to
"""
"""Behind a reference that may only be spoken of, where it begins its clause."""

FOR_MORE = """
    for <more>? <kin>
    for <more>? <stronger>
    for <more>? discussion|examples|example|variant|variants|counterexample
    for a|an|another? different|another|second|alternative proof|argument|approach
"""
"""Behind a reference that the reader is told to see for something else."""

SOFTENED = """
    directly|alone|verbatim|yet|only|immediately
    as it? stands
"""
"""Behind a reference that an aside phrase did not set aside after all."""
