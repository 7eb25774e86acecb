"""How many items, votes and gold labels an interval of some width takes."""
