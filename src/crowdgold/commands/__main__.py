"""`python -m crowdgold.commands`: the command `crowdgold` where it is not on the path."""

import sys

from crowdgold.commands import main

if __name__ == "__main__":
    sys.exit(main())
