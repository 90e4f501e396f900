"""The samples of proxies in docs/expose-an-arena.md work, and say what deploy/haproxy says."""

import re
import subprocess
from pathlib import Path

from arena.settings import Settings
from tests.certificates import NAME, Authority
from tests.haproxy import CONFIGURATION, require_haproxy

PAGE = Path(__file__).parents[1] / "docs/expose-an-arena.md"


def samples(kind: str) -> list[str]:
    found: list[str] = re.findall(rf"```{kind}\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return found


def test_no_location_refuses_the_largest_build() -> None:
    (sample,) = samples("nginx")
    (most,) = [one.le for one in Settings.model_fields["build_mb"].metadata if hasattr(one, "le")]
    ((size, unit),) = re.findall(r"client_max_body_size (\d+)(\w?);", sample)
    # A form is larger than its file.
    assert (int(size) > most, unit) == (True, "m")


def test_haproxy_takes_the_samples(tmp_path: Path) -> None:
    require_haproxy()
    issued = Authority(tmp_path).issue(NAME)
    certificate = tmp_path / "arena.pem"
    certificate.write_bytes(issued.cert.read_bytes() + issued.key.read_bytes())
    one, more = samples("haproxy")
    # Of the second sample the lines of the frontend belong into that of the first.
    lines, backends = more.removeprefix("frontend bots\n").split("\n\n", 1)
    start = one[: one.index("    default_backend")]
    several = f"{start}{lines}\n    default_backend referees\n\n{backends}"
    for text in (one, several):
        text = text.replace("/etc/haproxy/arena.pem", str(certificate))
        text = re.sub(r"^ +(user|group) haproxy\n", "", text, flags=re.MULTILINE)
        (tmp_path / "haproxy.cfg").write_text(text)
        command = ["haproxy", "-c", "-f", tmp_path / "haproxy.cfg"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_sample_has_all_that_protects_compose() -> None:
    def lines(text: str) -> list[str]:
        return [line.strip() for line in text.splitlines() if line.startswith("    ")]

    deployed, (sample, _) = CONFIGURATION.read_text(), samples("haproxy")
    ours = re.compile(r"user|group|bind|server |default-server|use_backend|option httpchk")
    for section in ("global", "defaults", "frontend bots"):
        of_both = [
            [
                line
                for line in lines(text.split(f"\n{section}\n")[1].split("\n\n")[0])
                if not ours.match(line)
            ]
            for text in (deployed, sample)
        ]
        assert of_both[0] == of_both[1]
    (checks,) = re.findall(r"default-server .*", sample)
    assert f"{checks} init-addr" in deployed
