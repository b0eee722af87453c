"""The words of a report that a reader may not know, explained on hover and in a list at its end."""

from __future__ import annotations

from causal_zigzag.report.markup import escape

WORDS = {
    "joined": "Two variables are joined if no others explain that they are related: one directly affects the other, or "
    "a cause of both is not in the table, such as the trait behind the items of a questionnaire.",
    "forward": "The direction from the first to the second variable of a pair; backward is the other one.",
    "open": "An edge is open if graphs with either direction fit the data equally well, so that observations alone "
    "cannot tell cause from effect.",
    "class": "All graphs that no observations can tell apart. Within a class, arrows are the same in all graphs, and "
    "open edges differ.",
    "score": "How well a graph explains the table, as a logarithm: a difference of 1 is a factor of 2.7.",
    "chain": "One of several independent runs of the sampler, which wander through the classes and stay longest at the "
    "most probable ones.",
    "holds again": "An edge or arrow holds when rows are resampled if it has more than half of all probability there "
    "too: other rows would probably show it. What is wrong in every sample, as with a hidden cause, is not seen.",
    "withstand all": "The model says so, it holds when rows are resampled, and when causes may be hidden: each time "
    "with more than half of all probability.",
    "error": "Monte Carlo standard error: how far a number may be off because the run was finite. It says nothing "
    "about the data or the assumptions.",
    "effective samples": "The number of independent draws with the same error; 100 are few, 1,000 are enough.",
    "R-hat": "How much chains differ from each other compared with themselves: 1 if they agree; 1.05 is too much.",
    "causal path": "A path of arrows from one variable to another, through which a change of the first passes on.",
    "robustness value": "The share of the remaining variance of both cause and outcome that a hidden common cause "
    "would have to explain to bring the estimate to zero. Larger is safer.",
}


def term(word: str, shown: str | None = None) -> str:
    """The word with its explanation on hover."""
    return f'<abbr title="{escape(WORDS[word])}">{shown or word}</abbr>'


def words_html() -> str:
    """All explanations as a list."""
    return "<dl>" + "".join(f"<dt>{word}</dt><dd>{escape(text)}</dd>" for word, text in WORDS.items()) + "</dl>"
