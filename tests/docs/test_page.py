# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from tests.docs.page import Block, Step, _blocks, steps

PAGE = """\
# A page

<!-- status: 1 -->
```console
$ one \\
>   two
said
$ three
```

1. indented

   ```sh
   four   # why
   # nothing
   five \\
     six
   ```

```
text
```
"""


def found() -> list[Block]:
    return list(_blocks("page.md", PAGE.splitlines(keepends=True)))


def test_blocks_are_found_with_what_comments_say() -> None:
    assert [(block.line, block.language, block.marks) for block in found()] == [
        (4, "console", {"status": "1"}),
        (13, "sh", {}),
        (20, "", {}),
    ]


def test_a_transcript_is_commands_and_what_they_print() -> None:
    assert steps(found()[0]) == [Step("one   two", "said\n", 1), Step("three", "", 1)]


def test_a_script_is_commands_alone() -> None:
    assert steps(found()[1]) == [Step("four   # why", None, None), Step("five six", None, None)]


@pytest.mark.parametrize("after", ("words\n", ""))
def test_a_comment_without_a_block_is_a_mistake(after: str) -> None:
    with pytest.raises(AssertionError, match="no block follows"):
        list(_blocks("page.md", ["<!-- printed -->\n", after]))
