# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from boxproof.errors import HelperError
from boxproof.helpers.base import Helper, Lead
from boxproof.helpers.bwrap import WITHOUT_PERMS, Bwrap
from boxproof.model.capability import Capability
from tests.helpers.conftest import Script, places_of, policy_of

HELPER = Helper("bwrap-1", "/b/bwrap")


def argv(*rules: str, helper: Helper = HELPER, **settings: str) -> str:
    places = places_of(d=Lead("folder", "/f/d", "/f"), x=Lead("file", "/f/x", "/f"))
    return " ".join(Bwrap().invocation(helper, policy_of(*rules, **settings), ["/bin/sh"], places).argv)


def test_rules_are_mounts_in_list_order_with_their_spelling_untouched() -> None:
    assert argv("rw /f/ws", "ro /f//ws/../x/.", "rw /f/ws", "deny /f/d") == (
        "/b/bwrap --die-with-parent --unshare-all --ro-bind / / --dev /dev --proc /proc "
        "--bind /f/ws /f/ws --ro-bind /f//ws/../x/. /f//ws/../x/. --bind /f/ws /f/ws "
        "--perms 000 --tmpfs /f/d --remount-ro /f/d --chdir /f/ws -- /bin/sh"
    )


def test_each_masked_file_has_a_descriptor_of_its_own() -> None:
    policy = policy_of("deny /f/x", "deny /f/d", "deny /f/missing")
    found = Bwrap().invocation(HELPER, policy, ["/bin/sh"], places_of(d=Lead("folder", "/f/d", "/f")))
    masks = [found.argv[n + 1 : n + 3] for n, word in enumerate(found.argv) if word == "--ro-bind-data"]
    assert masks == [("10", "/f/x"), ("11", "/f/missing")]
    assert found.null_fds == (10, 11)


def test_listed_reads_show_system_folders_only() -> None:
    found = argv("ro /f/x", reads="listed")
    assert "--ro-bind / /" not in found
    assert "--ro-bind-try /usr /usr" in found


def test_a_writable_temp_folder_is_the_launchs_own() -> None:
    assert "--bind /scratch /scratch" in argv(tmp="writable")
    assert "/scratch" not in argv()


def test_versions_without_perms_mask_without() -> None:
    assert "--perms" not in argv("deny /f/x", "deny /f/d", helper=Helper("b", "/b", surface=WITHOUT_PERMS))


def test_it_claims_all_but_a_document_and_overriding_grants() -> None:
    assert set(Capability) - Bwrap().claims(HELPER) == {Capability.POLICY_DOCUMENT, Capability.GRANT_OVERRIDES_DENY}


def test_options_are_probed(script: Script) -> None:
    old = script('[ "$1" = --version ] && echo "bubblewrap 0.4.1" || echo "    --tmpfs DEST"')
    assert Bwrap().describe(old, {}) == Helper("bwrap-0.4.1", str(old), "0.4.1", WITHOUT_PERMS)


def test_another_binary_is_refused(script: Script) -> None:
    with pytest.raises(HelperError, match="is no bubblewrap"):
        Bwrap().describe(script("echo wrapping bubbles"), {})
