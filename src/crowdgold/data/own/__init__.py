"""A user's own study: votes, gold labels and scores from files as people have them, in one object.

sheets          one file as a table of texts
exports         files of labelling tools, and logs of evaluation harnesses
column_names    which column is what: said by the user, or guessed and said
label_words     which label is positive
votes           votes by annotator, in counts, or a column an annotator
by_item         what belongs to an item: scores, gold labels, strata, weights
study           all of it joined
labels          the labels alone, of two kinds or more
"""

from crowdgold.data.own.labels import read_labels
from crowdgold.data.own.study import Study, read_study

__all__ = ["Study", "read_labels", "read_study"]
