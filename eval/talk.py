"""Sentences that speak to the reader and not of the matter ("I hope this helps"): no claim that evidence could bear out.

Only whole sentences of a few set forms, without any digit: a stock phrase in front of a claim does not hide the claim.
"""

from __future__ import annotations

import re

_ANSWER = r"(?:answers?|summary|summaries|steps|response|overview|explanation|breakdown|list|information|details)"
_TALK = re.compile(
    "|".join(
        (
            r"(?:sure|certainly|of course|thanks?|thank you)"
            r"(?:[,!]? (?:i can|i'd be happy to|i'm happy to|happy to) help[^,;:]{0,30})?",
            r"i hope (?:this|that|it) (?:helps|is helpful|answers your questions?)[^,;:]{0,30}",
            r"(?:please )?(?:let me know|feel free to|do(?: not|n't) hesitate to|is there anything)[^;:]{0,90}",
            rf"(?:(?:based on|according to|from)[^,;:]{{0,60}}, )?here(?:'s| is| are)[^,;:]{{0,60}}\b{_ANSWER}\b[^,;:]{{0,80}}:?",
            r"希望[^，；：]{0,20}帮助",
            r"如(?:果|您|你)?[^；：]{0,10}(?:问题|疑问)，?(?:请|欢迎|可以)[^；：]{0,20}",
            r"以下(?:是|为)[^，；]{0,20}(?:回答|答案|总结|摘要|步骤|说明)：?",
        )
    ),
    re.IGNORECASE,
)


def is_talk(sentence: str) -> bool:
    """Whether a sentence only addresses the reader."""
    text = sentence.strip().rstrip(".!。！ ").replace("’", "'")
    return not any(char.isdigit() for char in text) and _TALK.fullmatch(text) is not None
