# SPDX-License-Identifier: MIT
"""The pytest surface of a checkout and of the installed suite: wires the plugin in, nothing else."""

pytest_plugins = ["boxproof.plugin"]
