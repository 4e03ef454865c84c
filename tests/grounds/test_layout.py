# SPDX-License-Identifier: MIT
"""A layout over this host: its rows are there for launches, the host's programs run, and the host stays as it was."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from boxproof.errors import GroundError
from boxproof.grounds import overlay
from boxproof.grounds.accounts import LaunchUser, launch_user
from boxproof.grounds.command import Command
from boxproof.grounds.ground import Ground, Site
from boxproof.grounds.laying import unlike
from boxproof.grounds.layout import LayoutGround
from boxproof.grounds.places import find_places, read_layouts
from boxproof.model.case import Case
from boxproof.model.layout import Layout
from boxproof.model.policy import Policy
from boxproof.model.row import Row
from boxproof.model.topology import Topology
from boxproof.model.tree import parse_tree

SUITE = Path(__file__).parents[2]
LAYOUTS = {layout.name: layout for layout in read_layouts(SUITE)}
CERT = Row("/etc/ssl/cert.pem", "link", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem")
NONE = Topology(())


@pytest.fixture(scope="module")
def user() -> LaunchUser:
    return launch_user()


@pytest.fixture(scope="module")
def host(user: LaunchUser) -> Iterator[Ground]:
    table = Path("/proc/self/mountinfo").read_bytes()
    with Ground(user) as ground:
        yield ground
    assert not ground.base.exists()
    assert table.count(os.fsencode(ground.base)) == 0


def laid(host: Ground, layout: Layout) -> Iterator[LayoutGround]:
    with LayoutGround(host.user, host=host, shape=layout) as ground:
        if ground.unable:
            pytest.skip(ground.unable)
        yield ground


@pytest.fixture
def el9(host: Ground) -> Iterator[LayoutGround]:
    yield from laid(host, LAYOUTS["el9"])


def said(site: Site, script: str) -> str:
    launch = site.launch(Command(["/bin/sh", "-c", script], deadline=20))
    assert launch.status == 0, launch.stderr
    return launch.stdout.decode()


@pytest.mark.parametrize("name", sorted(LAYOUTS))
def test_all_rows_are_there_but_those_that_say_why_not(host: Ground, name: str) -> None:
    for ground in laid(host, LAYOUTS[name]):
        left = {row.path for row, _ in ground._plan(()).refused}
        with ground.site(NONE) as site:
            rows = [Row(row.path, row.kind, row.text) for row in ground.shape.rows if row.path not in left]
            assert unlike(str(site.launcher.root), rows) == ""
            assert f"{name}-layout, a replica" in said(site, "cat /etc/os-release /usr/lib/os-release")


def test_the_bundle_holds_a_token_and_certificates(el9: LayoutGround) -> None:
    ((token, path),) = el9.tokens.items()
    with el9.site(NONE) as site:
        first, second, *_ = said(site, "cat /etc/ssl/cert.pem").splitlines()
    assert (first, path) == (token, CERT.text)
    assert second.startswith("-----BEGIN") or not Path("/etc/ssl/certs/ca-certificates.crt").exists()


def test_the_farm_is_the_hosts_and_the_rest_is_not(el9: LayoutGround) -> None:
    with el9.site(NONE) as site:
        assert (
            said(site, f"echo here >{site.farm.path}/file; cat {site.farm.path}/file; ls {el9.base}").split()[0]
            == "here"
        )
        assert Path(site.farm.path, "file").read_text("utf-8") == "here\n"
        assert not Path("/etc/pki/ca-trust").exists() or Path("/etc/redhat-release").exists()


def test_namespaces_nest_and_proc_can_be_mounted_anew(el9: LayoutGround) -> None:
    script = (
        "unshare --user --map-root-user --pid --fork --mount-proc unshare --user --map-root-user readlink /proc/self"
    )
    with el9.host.site(NONE) as site:
        if site.launch(Command(["/bin/sh", "-c", script], deadline=20)).status:
            pytest.skip("the host itself does not allow it")
    with el9.site(NONE) as site:
        assert int(said(site, script)) > 0


def test_rows_of_a_case_are_laid_for_it_alone(el9: LayoutGround) -> None:
    other = Row(CERT.path, "link", "elsewhere.pem")
    with el9.site(Topology((), (other,))) as site:
        assert said(site, f"readlink {CERT.path}") == "elsewhere.pem\n"
    with el9.site(Topology((), (CERT,))) as site:
        assert said(site, f"readlink {CERT.path}") == f"{CERT.text}\n"


def test_a_row_that_cannot_be_laid_makes_the_case_not_applicable(el9: LayoutGround) -> None:
    lost = Topology(parse_tree("ws/\n").entries, (Row("/usr/bin", "absent"),))
    case = Case("a", "START-1", "a title", lost, Policy("ws"), layout="el9")
    assert el9.cannot(case).startswith("'/usr/bin' cannot be laid over this host: ")


def test_what_is_written_is_seen_and_gone_with_the_next_case(el9: LayoutGround) -> None:
    root = os.geteuid() == 0
    with LayoutGround(LaunchUser(0, 0, "root") if root else el9.user, host=el9.host, shape=el9.shape) as ground:
        with ground.site(NONE) as site:
            done = site.launch(Command(["/bin/sh", "-c", "echo x >/etc/ssl/new && rm /etc/ssl/cert.pem"], deadline=20))
            assert (done.status == 0) == root
            assert set(site.farm.beside()) == (
                {"/etc", "/etc/ssl", "/etc/ssl/new", "/etc/ssl/cert.pem"} if root else set()
            )
        with ground.site(Topology((), (CERT, Row("/etc/ssl/new", "absent")))) as site:
            assert site.farm.beside() == {}
    assert not Path("/etc/ssl/new").exists()


def test_a_ground_survives_that_its_folder_is_made_anew(el9: LayoutGround) -> None:
    with el9.site(NONE) as site:
        said(site, "true")
    moved = el9.base.with_name(f"{el9.base.name}-moved")
    el9.base.rename(moved)
    with el9.site(NONE) as site:
        assert said(site, f"echo there >{site.farm.path}/file; cat {site.farm.path}/file") == "there\n"
        assert Path(site.farm.path, "file").read_text("utf-8") == "there\n"
    for folder in (*(path for path in moved.iterdir()), moved):
        folder.rmdir()


def test_where_no_overlay_can_be_made_cases_are_not_applicable(host: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise GroundError("this host allows no mounts for the farm", cause="mount: EPERM")

    monkeypatch.setattr("boxproof.grounds.launch.Launcher.start", refuse)
    with LayoutGround(host.user, host=host, shape=LAYOUTS["el9"]) as ground:
        case = Case("a", "START-1", "a title", parse_tree("ws/\n"), Policy("ws"), layout="el9")
        assert ground.cannot(case) == "no layout can be laid: mount: EPERM"


def test_a_place_says_what_it_is() -> None:
    (place,) = find_places(["layout:el10"], SUITE)
    about = place.about(launch_user())
    assert (place.given, place.name, place.evidence, place.layout) == ("layout:el10", "el10-layout", "layout", "el10")
    assert about["replica of"] == LAYOUTS["el10"].title
    assert "/etc/ssl/cert.pem" in about["unknown"]
    assert about["unverified"]


def test_a_place_says_it_where_only_the_chosen_folder_takes_farms(
    host: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boxproof.grounds.host._candidates", list)
    (place,) = find_places(["layout:el10"], SUITE)
    assert place.about(host.user, str(host.base.parent))["replica of"] == LAYOUTS["el10"].title


def test_a_layout_that_is_none_names_the_nearest() -> None:
    with pytest.raises(GroundError, match=r"^there is no layout 'el99'; did you mean 'el9'\?$"):
        find_places(["layout:el99"], SUITE)


def test_mount_points_are_read_without_those_below_others() -> None:
    points = list(overlay.mount_points())
    assert b"/" not in points
    assert not any(one != other and one.startswith(other + b"/") for one in points for other in points)
