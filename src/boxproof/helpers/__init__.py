# SPDX-License-Identifier: MIT
"""How each helper is driven: one adapter a module, none of which knows the farm, the oracle or the judge."""
