"""`make audit`: known vulnerabilities of the locked packages, by pip-audit.

pip-audit is asked about files of locked requirements as they stand: nothing is installed or
resolved. It asks PyPI, and OSV where PyPI does not answer. A package that neither knows was not
audited, which pip-audit itself takes for no fault; here it is one.

exit codes: 0, no known vulnerability; 1, some; 3, some package could not be audited.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

SERVICES = ("pypi", "osv")
SHOWN = 8
VULNERABLE, NOT_AUDITED = 1, 3


def audit(program: Path, lock: Path, service: str) -> tuple[list[dict], str]:
    """Ask a service about a lock file: what it says of each package, or why it says nothing."""
    command = [program, "--requirement", lock, "--require-hashes", "--disable-pip"]
    options = ["--format", "json", "--progress-spinner", "off", "--timeout", "15"]
    done = subprocess.run(
        [*command, *options, "--vulnerability-service", service],
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        return json.loads(done.stdout)["dependencies"], ""
    except (ValueError, KeyError):
        lines = done.stderr.strip().splitlines()
        return [], lines[-1][:200] if lines else f"pip-audit ended with exit {done.returncode}"


def report(lock: Path, packages: list[dict]) -> list[dict]:
    """Say what is known of a lock's packages; gives those with a vulnerability."""
    found = [one for one in packages if one.get("vulns")]
    for one in found:
        for known in one["vulns"]:
            fixed = ", ".join(known["fix_versions"]) or "none yet"
            print(f"{lock.name}: {one['name']} {one['version']}: {known['id']}; fixed in: {fixed}")
    return found


def check(program: Path, lock: Path) -> int:
    """Audit a lock file; gives the exit code."""
    skipped, said = [], []
    for service in SERVICES:
        packages, why = audit(program, lock, service)
        skipped = [one["name"] for one in packages if "skip_reason" in one]
        if packages and not skipped:
            vulnerable = report(lock, packages)
            print(
                f"{lock.name}: {len(packages)} packages, {len(vulnerable)} vulnerable ({service})"
            )
            return VULNERABLE if vulnerable else 0
        if report(lock, packages):
            return VULNERABLE
        more = ", …" if len(skipped) > SHOWN else ""
        unknown = f"it does not know {', '.join(skipped[:SHOWN])}{more}"
        said.append(f"{service}: {why or unknown}")
    print(f"{lock.name}: not audited: the advisory services cannot be reached or do not answer:")
    print("\n".join(f"  {line}" for line in said))
    return NOT_AUDITED


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, required=True, help="pip-audit")
    parser.add_argument("locks", nargs="+", type=Path)
    asked = parser.parse_args()
    codes = [check(asked.program, lock) for lock in asked.locks]
    if NOT_AUDITED in codes:
        print("Run `make audit` where PyPI's advisories (pypi.org) or api.osv.dev can be reached.")
    return VULNERABLE if VULNERABLE in codes else max(codes)


if __name__ == "__main__":
    sys.exit(main())
