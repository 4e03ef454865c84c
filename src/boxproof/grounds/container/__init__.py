# SPDX-License-Identifier: MIT
"""The ground ``container:NAME``: cases in a real image, under podman or docker."""
