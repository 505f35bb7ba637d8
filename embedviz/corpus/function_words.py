"""Function words: words that do not tell the subject of a text, such as *the* and *of*.

The texts are taken for English if most of the words with the highest document frequency are English function words;
then the list `ENGLISH` is used. In other texts, the words that are in more than half of the texts are used.
"""

from collections.abc import Sequence

import numpy as np

from embedviz.core.space import Ints

_ENGLISH = """
a an the this that these those such same other others another each every either neither both all any some none no
not nor and or but if than then else so as because since while when whenever where wherever whether though although
unless until till once lest
i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself we us
our ours ourselves they them their theirs themselves one ones who whom whose which what whatever whoever whichever
something anything nothing everything someone anyone everyone nobody somebody anybody everybody
am is are was were be been being do does did done doing have has had having can could will would shall should may
might must ought cannot let lets get gets got getting
of in on at to from by for with without within into onto upon out off over under above below about across after
again against along among amongst around before behind beneath beside besides between beyond despite down during
except inside like near outside per through throughout toward towards up via
here there now just only also too very much many more most few fewer less least enough even ever never always often
quite rather really still yet already perhaps maybe almost however therefore thus hence well how why away back
t s d m ll re ve don doesn didn isn aren wasn weren won wouldn shouldn couldn hasn haven hadn ain
don't doesn't didn't isn't aren't wasn't weren't won't wouldn't shouldn't couldn't can't hasn't haven't hadn't
i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll it's it'd it'll we're we've we'd
we'll they're they've they'd they'll that's there's here's what's who's let's
say says said think know make makes made go goes going went come comes came take takes took see seem seems use used
want way thing things
"""
ENGLISH = frozenset(_ENGLISH.split())
"""English words of closed classes, with contractions and their parts, and verbs that are frequent in all texts."""
_LOOKED_AT = 10


def function_words(vocabulary: Sequence[str], held: Ints, texts: int) -> frozenset[str]:
    """Return the function words of some texts; for English texts, all words of `ENGLISH`.

    Args:
        held: Document frequency of each word of the vocabulary, (V,).
        texts: Number of texts.
    """
    first = [vocabulary[place] for place in np.argsort(-held, kind="stable")[:_LOOKED_AT].tolist() if held[place] > 1]
    if first and sum(word in ENGLISH for word in first) > len(first) / 2:
        return ENGLISH
    return frozenset(vocabulary[place] for place in np.flatnonzero(held > texts / 2).tolist())
