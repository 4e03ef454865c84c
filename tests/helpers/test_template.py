# SPDX-License-Identifier: MIT
from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from attrs import evolve

from boxproof.errors import HelperError
from boxproof.helpers.base import CannotExpressError, Documented, Helper, Lead
from boxproof.helpers.bwrap import Bwrap
from boxproof.helpers.template import Template
from boxproof.helpers.templatefile import load, own
from boxproof.model.capability import Capability
from boxproof.model.policy import Policy
from tests.helpers.conftest import Script, places_of, policy_of

TEMPLATES = Path(__file__).parent / "templates"
RULES = ("rw /f/ws", "ro /f/{path}", "deny /f/d", "deny /f/x", "deny /f/none", "ro /f/{tmp}{{cwd}}")
LEADS = {"d": Lead("folder", "/f/d", "/f"), "x": Lead("file", "/f/x", "/f")}
GOOD = 'name = "h"\nbinaries = ["h"]\n'


def test_bubblewrap_by_template_takes_what_the_adapter_gives_it() -> None:
    policy = evolve(policy_of("rw /f/ws", "ro /f//a", "deny /f/d", "deny /f/x", tmp="writable"), network=True)
    template = load(TEMPLATES / "bwrap.toml").invocation(Helper("t", "/b"), policy, ["/bin/sh"], places_of(**LEADS))
    adapter = Bwrap().invocation(Helper("t", "/b"), policy, ["/bin/sh"], places_of(**LEADS))
    assert template == adapter


def test_placeholders_in_a_path_are_literal() -> None:
    policy = evolve(policy_of(), rules=policy_of(r"ro /f/\x7bpath\x7d\x7bcwd\x7d").rules)
    found = load(TEMPLATES / "nsjail.toml").invocation(Helper("n", "/n"), policy, ["/bin/sh"], places_of())
    assert "/f/{path}{cwd}" in found.argv


def test_nsjail_by_template() -> None:
    policy = policy_of("rw /f/ws", "deny /f/d", "deny /f/x")
    found = load(TEMPLATES / "nsjail.toml").invocation(Helper("n", "/n"), policy, ["/bin/sh"], places_of(**LEADS))
    rules = "-c / -B /f/ws -T /f/d -R /dev/null:/f/x -D /f/ws -- /bin/sh"
    assert " ".join(found.argv) == f"/n -Mo -q -e --rlimit_as inf --rlimit_fsize inf {rules}"


def test_a_missing_name_may_be_denied_in_another_way(tmp_path: Path) -> None:
    pieces = 'base=[]\neverything=[]\nnetwork-off=[]\ntmp-closed=[]\ndeny-file=["-f","{path}"]\ndeny-folder=["-d"]\n'
    policy = policy_of("deny /f/x", "deny /f/none")

    def words(extra: str) -> tuple[str, ...]:
        template = load(_written(tmp_path, f"{GOOD}[argv]\n{pieces}{extra}"))
        return template.invocation(Helper("h", "/h"), policy, ["/c"], places_of(**LEADS)).argv

    assert words("") == ("/h", "-f", "/f/x", "-f", "/f/none", "/c")
    assert words("deny-missing=[]") == ("/h", "-f", "/f/x", "/c")


def test_a_helper_may_let_folders_alone_be_written(tmp_path: Path) -> None:
    pieces = "[argv]\nbase=[]\neverything=[]\nnetwork-off=[]\ntmp-closed=[]\nrw-folder=['{path}']\n"
    template = load(_written(tmp_path, f"{GOOD}capabilities = ['rw-rules']\n{pieces}"))
    found = template.invocation(Helper("h", "/h"), policy_of("rw /f/d"), ["/c"], places_of(**LEADS))
    assert found.argv == ("/h", "/f/d", "/c")
    with pytest.raises(CannotExpressError, match="has no 'rw'"):
        template.invocation(Helper("h", "/h"), policy_of("rw /f/x"), ["/c"], places_of(**LEADS))


def test_a_piece_that_is_not_there_cannot_be_said(tmp_path: Path) -> None:
    template = load(_written(tmp_path, f"{GOOD}[argv]\nbase = []\n"))
    with pytest.raises(CannotExpressError, match="'h' has no 'network-off'"):
        template.invocation(Helper("h", "/h"), policy_of(), ["/c"], places_of())


def test_the_rest_of_a_description_is_kept(tmp_path: Path, script: Script) -> None:
    text = """
        name = "h"
        binaries = ["helper"]
        version = ["-V"]
        version-pattern = "v([0-9]+)"
        capabilities = ["network-switch", "raw-names"]
        leftovers = ["tmp/h-*"]
        reserved = [".h"]
        markers = [".git"]
        env = { K = "template" }
        [argv]
        network-on = []
        network-off = []
    """
    template = load(_written(tmp_path, text))
    helper = template.describe(script('echo "h v7 $K $1"'), {"K": "user"})
    assert (helper.name, helper.version, helper.env) == ("h-7", "7", {"K": "user"})
    assert template.recognises(Path("/x/helper"))
    assert template.claims(helper) == {Capability.NETWORK_SWITCH, Capability.RAW_NAMES}
    assert template.leftovers(helper) == ("tmp/h-*",)
    assert template.reserved == (".h",)
    assert template.markers(policy_of()) == (".git",)


@pytest.mark.parametrize(
    ("text", "said"),
    (
        ("name = 'h", "is no TOML"),
        ("\xff", "is no TOML"),
        (f"{GOOD}capabilites = []", "'capabilites': there is no such key; did you mean 'capabilities'?"),
        (f"{GOOD}[argv]\ndeny_file = []", "'argv.deny_file': there is no such key; did you mean 'deny-file'?"),
        (f"{GOOD}argv = 3", "'argv': is no table"),
        (f"{GOOD}[argv]\nro = 'x'", "'argv.ro': holds something other than strings"),
        (f"{GOOD}[argv]\nro = [1]", "'argv.ro': holds something other than strings"),
        (f'{GOOD}[argv]\nro = ["a\\u0000"]', "'argv.ro': holds something other than strings without NUL"),
        (f"{GOOD}[argv]\nro = ['{{pth}}']", "'argv.ro': there is no '{pth}' here; did you mean 'path'"),
        (f"{GOOD}[argv]\nbase = ['{{path}}']", "'argv.base': there is no '{path}' here"),
        (f"{GOOD}[argv]\nrw = ['{{null-fd}}']", "'argv.rw': there is no '{null-fd}' here"),
        (f"{GOOD}capabilities = ['carveout']", "'carveout' is no capability; did you mean 'carve-out'?"),
        (f"{GOOD}capabilities = 'deny'", "'capabilities': holds something other than strings"),
        (f"{GOOD}capabilities = ['deny']", "claims 'deny', but there is no 'argv.deny-file'"),
        ("binaries = []", "'name': is no name"),
        ("name = 'A B'", "'name': is no name"),
        (f"{GOOD}binaries = 1", "is no TOML"),
        ("name = 'h'\nbinaries = 1", "'binaries': holds something other than strings"),
        (f"{GOOD}env = {{ K = 1 }}", "'env': holds something other than strings"),
        (f"{GOOD}command = 'scrip'", "'command': 'scrip' is none of its words; did you mean 'script'?"),
        (f"{GOOD}not-in-paths = [1]", "'not-in-paths': is no string"),
        (f"{GOOD}engines = ['landlock']", "'engines': 'landlock' is none of its words; did you mean 'Landlock'?"),
        (f"{GOOD}engines = 'x'", "'engines': holds something other than strings"),
        (f"{GOOD}version-pattern = '('", "'version-pattern': is no regular expression"),
        (f"{GOOD}version-pattern = 'x'", "with one group"),
    ),
)
def test_an_error_names_file_key_and_the_nearest_word(tmp_path: Path, text: str, said: str) -> None:
    path = _written(tmp_path, text)
    with pytest.raises(HelperError) as caught:
        load(path)
    assert said in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_a_binary_must_say_is_asked_for(tmp_path: Path, script: Script) -> None:
    template = load(_written(tmp_path, f"{GOOD}expects = ['--help', '--ro', '--rw']\n"))
    assert template.describe(script('[ "$1" = --help ] && echo "--ro --rw"'), {}).name == "h"
    with pytest.raises(HelperError, match=r"is no h .its --help names no '--rw'"):
        template.describe(script("echo --ro"), {})


@pytest.mark.parametrize("policy", (policy_of("rw /f/a:b"), policy_of(cwd="/f/ws/:")))
def test_a_path_that_the_helper_would_split_cannot_be_said(tmp_path: Path, policy: Policy) -> None:
    pieces = "[argv]\nbase=[]\neverything=[]\nnetwork-off=[]\ntmp-closed=[]\nrw=['{path}']\n"
    template = load(_written(tmp_path, f"{GOOD}not-in-paths = ':,'\n{pieces}"))
    with pytest.raises(CannotExpressError, match="no path of h can hold one of ':,'"):
        template.invocation(Helper("h", "/h"), policy, ["/c"], places_of())


def test_a_command_may_come_in_a_script(tmp_path: Path) -> None:
    pieces = "[argv]\nbase=[]\neverything=[]\nnetwork-off=[]\ntmp-closed=[]\n"
    template = load(_written(tmp_path, f"{GOOD}command = 'script'\n{pieces}"))
    command = ["/bin/sh", "-c", 'printf "%s" "$@"', "x", "a 'b'", "\udcff"]
    found = template.invocation(Helper("h", "/h"), policy_of(), command, places_of())
    assert found.argv == ("/h", "/bin/sh", "/files/command.sh")
    done = subprocess.run(["/bin/sh"], input=found.files["command.sh"], capture_output=True, check=True, timeout=20)
    assert done.stdout == b"a 'b'\xff"


def test_what_is_documented_is_kept(tmp_path: Path) -> None:
    told = "source = 'its page'\nengines = ['Landlock', 'bubblewrap']\npreflight = ['--check']\n"
    template = load(_written(tmp_path, f"{GOOD}{told}"))
    wanted = Documented(source="its page", engines=("Landlock", "bubblewrap"), preflight=("--check",))
    assert template.documented == wanted


@pytest.mark.parametrize("template", own(), ids=lambda template: template.name)
def test_every_template_of_ours_can_be_driven(template: Template) -> None:
    reads = "everything" if "everything" in template.pieces else "listed"
    found = template.invocation(Helper("h", "/h"), policy_of("rw /f/ws", reads=reads), ["/c"], places_of())
    assert found.argv[0] == "/h"
    assert template.documented.source
    assert template.documented.engines
    assert template.expects
    assert template.binaries


def test_a_missing_file_and_a_huge_one_are_said(tmp_path: Path) -> None:
    with pytest.raises(HelperError, match="cannot be read"):
        load(tmp_path / "none.toml")
    with pytest.raises(HelperError, match="larger than"):
        load(_written(tmp_path, "#" * 100_000))


def _written(folder: Path, text: str) -> Path:
    path = folder / "adapter.toml"
    path.write_bytes(text.encode("latin-1"))
    return path
