# SPDX-License-Identifier: MIT
"""What of a layout can be laid over a host, on a host that is a folder here."""

from __future__ import annotations

from pathlib import Path

import pytest

from boxproof.grounds.laying import Plan, plan, unlike
from boxproof.model.row import Row, parse_rows


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """A host with merged folders, a program in each, a home and a certificate."""
    for folder in ("usr/bin", "usr/sbin", "usr/lib", "etc/ssl/certs", "home/somebody", "mnt", "var/cache/farms"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("bin", "sbin", "lib"):
        (tmp_path / name).symlink_to(f"usr/{name}")
    for file in ("usr/bin/sh", "usr/sbin/init", "usr/lib/libc.so", "etc/ssl/certs/ca.crt"):
        (tmp_path / file).write_text(file)
    return tmp_path


def laid(host: Path, text: str, mounts: tuple[str, ...] = (), contents: dict[str, bytes] | None = None) -> Plan:
    rows = sorted(parse_rows(text), key=lambda row: row.path)
    return plan(rows, "/var/cache/farms", contents or {}, mounts, str(host))


def steps(found: Plan) -> dict[str, tuple[str, bytes]]:
    return {path: (kind, data) for kind, path, _, data in found.steps}


def test_what_the_host_has_takes_nothing(host: Path) -> None:
    text = "/bin -> usr/bin\n/etc/ssl/ folder\n/etc/pki absent\n/etc/ssl/certs/ca.crt file\n/etc/x unknown\n"
    assert laid(host, text) == Plan((), (), ())


def test_a_link_comes_with_the_folders_above_it(host: Path) -> None:
    found = laid(host, "/etc/pki/tls/cert.pem -> /etc/ssl/certs/ca.crt\n/etc/ssl/cert.pem -> certs/ca.crt\n")
    assert steps(found) == {
        "/etc": ("folder", b""),
        "/etc/pki": ("folder", b""),
        "/etc/pki/tls": ("folder", b""),
        "/etc/pki/tls/cert.pem": ("link", b"/etc/ssl/certs/ca.crt"),
        "/etc/ssl": ("folder", b""),
        "/etc/ssl/cert.pem": ("link", b"certs/ca.crt"),
    }


def test_a_folder_may_become_a_link_in_etc(host: Path) -> None:
    found = laid(host, "/etc/pki/certs/ folder\n/etc/ssl/certs -> ../pki/certs\n")
    assert steps(found)["/etc/ssl/certs"] == ("link", b"../pki/certs")
    assert (found.moved, found.refused) == ((), ())


def test_a_name_that_is_to_be_absent_is_covered(host: Path) -> None:
    assert steps(laid(host, "/etc/ssl/certs/ca.crt absent\n"))["/etc/ssl/certs/ca.crt"] == ("absent", b"")


def test_a_file_behind_a_link_becomes_one_of_its_own(host: Path) -> None:
    (host / "etc/resolv.conf").symlink_to("ssl/certs/ca.crt")
    assert steps(laid(host, "/etc/resolv.conf file\n"))["/etc/resolv.conf"] == ("file", b"etc/ssl/certs/ca.crt")


def test_a_file_gets_the_content_that_is_wanted(host: Path) -> None:
    found = laid(host, "/etc/ssl/certs/ca.crt file\n", contents={"/etc/ssl/certs/ca.crt": b"token"})
    assert steps(found)["/etc/ssl/certs/ca.crt"] == ("file", b"token")


def test_a_file_that_the_host_lacks_is_a_comment(host: Path) -> None:
    kind, content = steps(laid(host, "/etc/pki/tls/openssl.cnf file\n"))["/etc/pki/tls/openssl.cnf"]
    assert kind == "file"
    assert all(line.startswith(b"#") for line in content.splitlines())


def test_a_home_behind_a_link_stays_in_reach(host: Path) -> None:
    found = laid(host, "/home -> var/home\n/mnt -> var/mnt\n")
    assert found.moved == (("/home", "/var/home"),)
    assert steps(found)["/home"] == ("link", b"var/home")
    assert steps(found)["/var/home"] == ("folder", b"")


def test_folders_whose_programs_would_be_gone_are_left(host: Path) -> None:
    found = laid(host, "/usr/sbin -> bin\n/sbin/ folder\n")
    assert found.steps == ()
    assert {row.path: why for row, why in found.refused} == {
        "/sbin": "it is a link on this host, behind which programs lie",
        "/usr/sbin": "1 names that this host's programs may need are in it and not in '/usr/bin'",
    }


def test_programs_that_are_there_all_the_same_are_no_objection(host: Path) -> None:
    (host / "usr/bin/init").symlink_to("../sbin/init")
    assert steps(laid(host, "/usr/sbin -> bin\n"))["/usr/sbin"] == ("link", b"bin")


@pytest.mark.parametrize(
    ("text", "mounts", "why"),
    (
        ("/var -> srv/var\n", (), "the folder for farms lies there"),
        ("/var/cache absent\n", (), "the folder for farms lies there"),
        ("/run/x file\n", ("/run",), "'/run' is a mount of its own on this host"),
        ("/mnt absent\n", ("/mnt/disk",), "'/mnt/disk' is mounted below it on this host"),
        ("/bin/x/ folder\n", (), "'/bin' is no folder on this host"),
    ),
)
def test_what_cannot_be_laid_says_why(host: Path, text: str, mounts: tuple[str, ...], why: str) -> None:
    ((_, said),) = laid(host, text, mounts).refused
    assert said == why


def test_a_home_on_a_mount_of_its_own_may_be_moved(host: Path) -> None:
    assert laid(host, "/home -> var/home\n", ("/home",)).moved == (("/home", "/var/home"),)


@pytest.mark.parametrize(
    ("row", "seen"),
    (
        (Row("/bin", "link", "usr/bin"), ""),
        (Row("/bin", "link", "/usr/bin"), "'/bin' is -> usr/bin"),
        (Row("/bin", "folder"), "'/bin' is a link"),
        (Row("/etc/ssl", "absent"), "'/etc/ssl' is a folder"),
        (Row("/etc/none", "absent"), ""),
        (Row("/etc/ssl/certs/ca.crt/x", "absent"), ""),
        (Row("/etc/none", "file"), "'/etc/none' is absent"),
        (Row("/etc/none", "unknown"), ""),
        (Row("/usr/bin/sh", "file", mode=0o600), "'/usr/bin/sh' is mode=0644"),
    ),
)
def test_a_row_that_is_not_so_is_named(host: Path, row: Row, seen: str) -> None:
    (host / "usr/bin/sh").chmod(0o644)
    assert unlike(str(host), [row]) == seen
