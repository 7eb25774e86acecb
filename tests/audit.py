"""`make audit`: known vulnerabilities of the locked packages, by pip-audit.

pip-audit is asked about files of locked requirements as they stand: nothing is installed or
resolved. It asks PyPI, and OSV where PyPI does not answer. pip-audit passes over a package that
neither service knows; here such a package is a failure.

exit codes: 0, no known vulnerability; 1, some; 3, some package could not be audited.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

SERVICES = ("pypi", "osv")
SHOWN = 8
"""Names of unknown packages that a message lists."""
VULNERABLE, NOT_AUDITED = 1, 3
"""Exit codes."""


def audit(program: Path, lock: Path, service: str) -> tuple[list[dict], str]:
    """Ask a service about a lock file: pip-audit's entry of each package, or none and why."""
    command = [program, "--requirement", lock, "--require-hashes", "--disable-pip"]
    options = ["--format", "json", "--progress-spinner", "off", "--timeout", "15"]
    command += ["--vulnerability-service", service, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)["dependencies"], ""
    except (ValueError, KeyError):
        lines = done.stderr.strip().splitlines()
        return [], lines[-1][:200] if lines else f"pip-audit ended with exit {done.returncode}"


def report(lock: Path, packages: list[dict]) -> list[dict]:
    """Print the vulnerabilities of a lock's packages; returns the packages that have any."""
    vulnerable = [package for package in packages if package.get("vulns")]
    for package in vulnerable:
        named = f"{lock.name}: {package['name']} {package['version']}"
        for known in package["vulns"]:
            fixed = ", ".join(known["fix_versions"]) or "none yet"
            print(f"{named}: {known['id']}; fixed in: {fixed}")
    return vulnerable


def check(program: Path, lock: Path) -> int:
    """Audit a lock file by each service until one knows all packages; returns the exit code."""
    skipped, answers = [], []
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
        answers.append(f"{service}: {why or unknown}")
    print(f"{lock.name}: not audited: the advisory services cannot be reached or do not answer:")
    print("\n".join(f"  {line}" for line in answers))
    return NOT_AUDITED


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, required=True, help="pip-audit")
    parser.add_argument("locks", nargs="+", type=Path)
    arguments = parser.parse_args()
    codes = [check(arguments.program, lock) for lock in arguments.locks]
    if NOT_AUDITED in codes:
        print("Run `make audit` where PyPI's advisories (pypi.org) or api.osv.dev can be reached.")
    return VULNERABLE if VULNERABLE in codes else max(codes)


if __name__ == "__main__":
    sys.exit(main())
