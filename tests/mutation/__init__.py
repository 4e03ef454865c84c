# SPDX-License-Identifier: MIT
"""Do the tests notice a change of the model or the judge? Each module is mutated, and its tests run on every mutant."""
