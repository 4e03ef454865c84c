# SPDX-License-Identifier: MIT
from __future__ import annotations

import base64
import hashlib
import io
import re
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from boxproof.helpers.registry import adapters
from tests.vendors.fetch import fetch, main
from tests.vendors.pins import FetchError, Pin, Vendor, choose, read_list


def pack(path: Path, *members: tarfile.TarInfo) -> str:
    """Write a tarball and return its integrity."""
    content = b"#!/bin/sh\n"
    with tarfile.open(path, "w:gz") as archive:
        for member in members:
            member.size = len(content) if member.isreg() else 0
            archive.addfile(member, io.BytesIO(content))
    return f"sha512-{base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()}"


def plain(name: str = "package/bin/tool", mode: int = 0o755) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.mode = mode
    return member


def link(name: str, target: str) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = tarfile.SYMTYPE, target
    return member


def vendor(integrity: str) -> Vendor:
    return Vendor("@x/tool@1.0", integrity, helper="tool", version="1.0", binary="package/bin/tool", adapter="bwrap")


def wheel(path: Path, *names: str) -> str:
    """Write a wheel of executables, a name that ends in ``@`` as a link, and return its integrity."""
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            member = zipfile.ZipInfo(name.rstrip("@"))
            member.external_attr = (0o120777 if name.endswith("@") else 0o100755) << 16
            archive.writestr(member, "print('ran')\n")
    return f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put an npm on PATH that packs the tarball at the path returned, and writes down how it was called."""
    tarball = tmp_path / "source.tgz"
    body = f"""#!/bin/sh
echo "$@" >> {tmp_path}/calls
for word; do case "$word" in --pack-destination=*) folder=${{word#*=}};; esac; done
[ -f {tarball} ] || {{ echo "npm error code ENOTFOUND" >&2; echo more >&2; exit 1; }}
while IFS= read -r line; do :; done </dev/null
/bin/cp {tarball} "$folder/x-tool-1.0.tgz"
"""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "npm").write_text(body)
    (tmp_path / "bin" / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tarball


def test_a_release_is_fetched_once_without_scripts(npm: Path, tmp_path: Path) -> None:
    wanted = vendor(pack(npm, plain(mode=0o644)))
    binary = fetch(wanted, tmp_path / "cache")
    assert binary == tmp_path / "cache" / "tool-1.0" / "package" / "bin" / "tool"
    assert binary.stat().st_mode & 0o777 == 0o755
    assert binary.parents[2].stat().st_mode & 0o777 == 0o755
    assert fetch(wanted, tmp_path / "cache") == binary
    calls = (tmp_path / "calls").read_text().splitlines()
    assert len(calls) == 1
    assert "--ignore-scripts" in calls[0]
    assert calls[0].endswith("@x/tool@1.0")
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["tool-1.0"]


def test_another_integrity_replaces_what_is_there(npm: Path, tmp_path: Path) -> None:
    fetch(vendor(pack(npm, plain())), tmp_path / "cache")
    fetch(vendor(pack(npm, plain(), plain("package/new"))), tmp_path / "cache")
    assert (tmp_path / "cache" / "tool-1.0" / "package" / "new").exists()
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["tool-1.0"]


@pytest.mark.parametrize(
    ("members", "said"),
    (
        ([plain(), plain("../escape")], "no plain file of its own"),
        ([plain(), plain("package/../../escape")], "no plain file of its own"),
        ([plain(), plain("/boxproof-escape")], "no plain file of its own"),
        ([plain(), link("package/out", "/etc")], "no plain file of its own"),
        ([plain(), plain()], "cannot be unpacked"),
        ([plain("package/other")], "no file 'package/bin/tool'"),
    ),
)
def test_a_bad_tarball_leaves_nothing(npm: Path, tmp_path: Path, members: list[tarfile.TarInfo], said: str) -> None:
    wanted = vendor(pack(npm, *members))
    with pytest.raises(FetchError, match=said):
        fetch(wanted, tmp_path / "cache")
    assert not list((tmp_path / "cache").iterdir())
    assert not (tmp_path / "escape").exists()


def test_a_tarball_with_another_integrity_is_not_unpacked(npm: Path, tmp_path: Path) -> None:
    pack(npm, plain())
    with pytest.raises(FetchError, match=r"has the integrity sha512-\S+, not the listed sha512-listed"):
        fetch(vendor("sha512-listed"), tmp_path / "cache")
    assert not list((tmp_path / "cache").iterdir())


def test_what_is_no_tarball_is_said(npm: Path, tmp_path: Path) -> None:
    npm.write_bytes(b"no archive")
    integrity = f"sha512-{base64.b64encode(hashlib.sha512(b'no archive').digest()).decode()}"
    with pytest.raises(FetchError, match="cannot be unpacked"):
        fetch(vendor(integrity), tmp_path / "cache")


@pytest.mark.usefixtures("npm")
def test_a_failing_npm_is_said_with_its_reason(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match=r"npm cannot fetch @x/tool@1\.0: npm error code ENOTFOUND; is the network up"):
        fetch(vendor("sha512-x"), tmp_path / "cache")
    assert not list((tmp_path / "cache").iterdir())


@pytest.fixture
def pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a pip in place that finds the wheel at the path returned, and writes down how it was called."""
    found = tmp_path / "tool-1.0-py3-none-any.whl"
    body = f"""#!/bin/sh
echo "$@" >> {tmp_path}/calls
for word; do case "$word" in --dest=*) folder=${{word#*=}};; esac; done
/bin/cp {found} "$folder/"
"""
    (tmp_path / "pip").write_text(body)
    (tmp_path / "pip").chmod(0o755)
    monkeypatch.setattr("tests.vendors.fetch._PIP", (str(tmp_path / "pip"), "--dest={work}"))
    return found


def test_a_wheel_is_unpacked_with_its_modes(pip: Path, tmp_path: Path) -> None:
    wanted = replace(vendor(wheel(pip, "tool/bin/tool")), package="tool==1.0", binary="tool/bin/tool")
    binary = fetch(wanted, tmp_path / "cache")
    assert binary.stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "calls").read_text().endswith("tool==1.0\n")


@pytest.mark.parametrize("module", ("-", "tool"))
def test_a_helper_in_python_gets_a_script(pip: Path, tmp_path: Path, module: str) -> None:
    wanted = replace(vendor(wheel(pip, "tool.py")), package="tool==1.0", binary="bin/tool", module=module)
    binary = fetch(wanted, tmp_path / "cache")
    (tmp_path / "link").symlink_to(binary)
    words = ["-c", "import tool"] if module == "-" else []
    env = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    done = subprocess.run([tmp_path / "link", *words], env=env, capture_output=True, check=True, timeout=60)
    assert done.stdout == b"ran\n"


@pytest.mark.parametrize("name", ("../escape", "/boxproof-escape", "link@"))
def test_a_bad_wheel_leaves_nothing(pip: Path, tmp_path: Path, name: str) -> None:
    wanted = replace(vendor(wheel(pip, "tool/bin/tool", name)), package="tool==1.0", binary="tool/bin/tool")
    with pytest.raises(FetchError, match="no plain file of its own"):
        fetch(wanted, tmp_path / "cache")
    assert not list((tmp_path / "cache").iterdir())


def test_what_a_package_imports_lies_where_node_looks_for_it(npm: Path, tmp_path: Path) -> None:
    integrity = pack(npm, plain())
    needs = (Pin("@y/lib@2.0", integrity), Pin("lib@3.0", integrity))
    wanted = replace(vendor(integrity), needs=needs)
    fetch(wanted, tmp_path / "cache")
    modules = tmp_path / "cache" / "tool-1.0" / "package" / "node_modules"
    assert (modules / "@y" / "lib" / "bin" / "tool").is_file()
    assert (modules / "lib" / "bin" / "tool").is_file()
    assert len((tmp_path / "calls").read_text().splitlines()) == 3
    with pytest.raises(FetchError, match=r"lib@3\.0 has the integrity"):
        fetch(replace(wanted, needs=(needs[0], Pin("lib@3.0", "sha512-x"))), tmp_path / "cache")


def test_a_missing_npm_is_said_on_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["--cache", str(tmp_path / "cache"), "codex-0.118.0"]) == 1
    assert capsys.readouterr().err == "fetch: npm is not on PATH; install Node.js, or put a fetched cache in place\n"


def test_an_unknown_name_is_said_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["codex-0.171"]) == 1
    assert "did you mean 'codex-0.171.0'?" in capsys.readouterr().err


def test_a_list_with_a_wrong_field_is_said(tmp_path: Path) -> None:
    broken = tmp_path / "vendors.toml"
    broken.write_text('[[vendor]]\nnam = "x"\n')
    with pytest.raises(FetchError, match="nam"):
        read_list(broken)


def test_the_list_pins_every_release_exactly() -> None:
    vendors = read_list()
    assert [found.key for found in choose(vendors, ["codex"])] == ["codex-0.115.0", "codex-0.118.0", "codex-0.171.0"]
    assert len({found.key for found in vendors}) == len(vendors)
    assert [found.helper for found in vendors if found not in choose(vendors, [])] == ["gemini"]
    pins = [pin for found in vendors for pin in (found, *found.needs)]
    for pin in pins:
        if pin.on_pypi:
            assert re.fullmatch("sha256:[0-9a-f]{64}", pin.integrity)
        else:
            assert len(base64.b64decode(pin.integrity.removeprefix("sha512-"), validate=True)) == 64
        assert re.fullmatch(r"\S+(==|@)[0-9][0-9.]*(-linux-x64)?", pin.package)
    known = {adapter.name for adapter in adapters()}
    assert {found.adapter for found in vendors} <= known
