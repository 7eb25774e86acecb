"""`python -m crowdgold.cli`: the command `crowdgold` where it is not on the path."""

import sys

from crowdgold.cli import main

if __name__ == "__main__":
    sys.exit(main())
