# SPDX-License-Identifier: MIT
"""How fast the suite is beside a bare loop over the same helper: ``tox -e bench``, or ``python -m tests.bench``.

Not a test: nothing here passes or fails, and pytest collects nothing of it. What is compared is measured in turns
(A B A B), so that other load on the machine falls on both.
"""
