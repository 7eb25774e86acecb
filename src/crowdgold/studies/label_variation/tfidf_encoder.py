"""TF-IDF of character n-grams: features of texts of any language, without anything pretrained.

Words of Arabic carry articles, prepositions and pronouns; n-grams of characters within words share
what such words have in common. The vocabulary and the weights come from training texts alone.
"""

from collections.abc import Sequence

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from crowdgold.data.errors import InputError
from crowdgold.studies.label_variation.encoders import Texts, compare

NGRAMS = (2, 5)
FEWEST_TEXTS = 2
"""Training texts that an n-gram is in."""
MOST_FEATURES = 4096
"""N-grams that are kept, the most frequent."""


def _learn(texts: Sequence[str]) -> TfidfVectorizer:
    few = FEWEST_TEXTS if len(texts) > FEWEST_TEXTS else 1
    learned = TfidfVectorizer(
        analyzer="char_wb",
        ngram_range=NGRAMS,
        min_df=few,
        max_features=MOST_FEATURES,
        sublinear_tf=True,
        dtype=np.float32,
    )
    try:
        return learned.fit(texts)
    except ValueError as error:
        raise InputError(f"TF-IDF: nothing to learn from {len(texts)} texts: {error}") from error


def tfidf_features(texts: Texts, training: np.ndarray) -> np.ndarray:
    """The features of texts or pairs: (N, D), D at most `MOST_FEATURES`, of pairs four times.

    Args:
        training: (n,) positions of those that the weights are learned from.

    Raises:
        InputError: where the training texts have no n-gram in common.
    """
    first, second = list(texts.first), list(texts.second)
    learned = _learn([own[i] for own in (first, second) if own for i in training])
    encoded = learned.transform(first).toarray()
    return compare(encoded, learned.transform(second).toarray()) if second else encoded
