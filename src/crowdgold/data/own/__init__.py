"""A user's own study: votes, gold labels and scores from files as people have them, in one object.

reading         what the user says of the files
sheets          one file as a table of texts
exports         files of labelling tools, and logs of evaluation harnesses
names           names of columns, ours and those of others
column_names    which column is what: said by the user, or guessed and said
evidence        what the contents of columns say to such a guess
joins           whether files that name items alike mean the same
missing_labels  words for an empty cell
label_words     which label is positive
votes           votes by annotator, in counts, or a column an annotator
by_item         what belongs to an item: scores, gold labels, strata, weights
study           all of it joined
labels          the labels alone, of two kinds or more
"""

from crowdgold.data.own.labels import read_labels
from crowdgold.data.own.reading import Reading
from crowdgold.data.own.study import Study, read_study

__all__ = ["Reading", "Study", "read_labels", "read_study"]
