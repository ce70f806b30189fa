"""A package small enough to judge in no time, with canary words wherever a candidate must not look."""

from __future__ import annotations

from pathlib import Path
from typing import Final

SLUG: Final = "twice"
RIGHT: Final = b"def twice(x):\n    return x * 2\n"
WRONG: Final = b"def twice(x):\n    return x * 3\n"
# words that only hidden cases hold, and words that only open after the attempt or after an own answer
HIDDEN: Final = ("secret_canary_name", "8642135", "canary in cases")
AFTER_THE_ATTEMPT: Final = (
    "canary question",
    "canary short",
    "canary full",
    "canary rebuttal",
    "canary old tests",
    "canary hint",
)
AFTER_THE_ANSWER: Final = ("canary expected", "canary rubric", "canary solution")
HINTS: Final = ("canary symptom", "canary fault")  # of levels 2 and 3
NEVER: Final = ("canary sentence",)

_FILES: Final = {
    "problem.yaml": """
schema: 1
title: Twice as much
level: L2
minutes: 5
tags: [warm-up]
roles: [Anyone]
entries:
  twice:
    parameters: {x: "float64[T]"}
    outputs: {y: "float64[T]"}
variants:
  only: {starter: starters/only.py, planted: [thrice]}
  other: {starter: starters/other.py, planted: [thrice]}
groups:
  - {name: samples, points: 0, cases: [sample_format]}
  - {name: values, points: 60, cases: [secret_canary_name, secret_b]}
  - {name: shapes, points: 40, cases: [secret_c]}
stages: [output]
""",
    "statement.md": """
Repair `twice`, so that $y = 2x$.

| name | shape |
|---|--:|
| `x` | `[T]` |

```python
def twice(x):
    return y
```

[elsewhere](https://example.org/) <b>raw</b>

$$\\sum_i y_i = 2 \\sum_i x_i$$
""",
    "starters/only.py": "def twice(x):\n    return x * 3  # starter only\n",
    "starters/other.py": "def twice(x):\n    return 3 * x  # starter other\n",
    "cases.py": """
import numpy as np

# canary in cases


def sample_format(rng):
    return {"entry": "twice", "args": {"x": np.array([1.0, 2.0])}}


def secret_canary_name(rng):
    return {"entry": "twice", "args": {"x": np.array([8642135.0, 2.5])}}


def secret_b(rng):
    return {"entry": "twice", "args": {"x": rng.standard_normal(5)}}


def secret_c(rng):
    return {"entry": "twice", "args": {"x": rng.standard_normal(1)}}
""",
    "submissions/accepted/reference.py": "def twice(x):\n    return x * 2.0\n",
    "submissions/wrong_answer/thrice.py": "def twice(x):\n    return x * 3.0\n",
    "faults.yaml": """
schema: 1
files:
  wrong_answer/thrice.py:
    fault: thrice
    stage: output
    left: [thrice]
    sentence: canary sentence
    hints: {symptom: canary symptom, fault: canary fault}
""",
    "interview.yaml": """
schema: 1
short_answer: canary short
full_answer: canary full
corrected_source: submissions/accepted/reference.py
why_old_tests_passed: canary old tests
follow_ups:
  - id: first
    level: L2
    question: canary question one?
    expected_answer: canary expected one
    rubric: [canary rubric]
  - id: second
    level: L3
    question: canary question two?
    expected_answer: canary expected two
    unlocked_by: [thrice]
wrong_answers:
  - {answer: It is fine, rebuttal: canary rebuttal}
multiple_choice:
  - id: pick
    question: canary question three?
    choices: [two, three]
    correct: 0
    hint: canary hint
    solution: canary solution
""",
}


def write_package(root: Path, **changes: str) -> Path:
    """Write the package below a folder of packages; `changes` replaces files by name, '__' for '/' and no ending."""
    folder = root / SLUG
    for path, text in _FILES.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(changes.get(path.rsplit(".", 1)[0].replace("/", "__"), text).lstrip())
    return folder
