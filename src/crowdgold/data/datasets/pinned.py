"""Where each dataset's files come from: address, checksum, licence, citation, cautions.

An address is pinned to a commit or to the number of a published file, so it always gives the same
bytes. The checksum is that of the file as the dataset is read from it, unpacked; where none is
known, that of the first copy is recorded (`source`).
"""

from crowdgold.data.datasets.conversion import (
    perspective_from_conversations,
    predictions_from_json_lines,
    products_from_lists,
)
from crowdgold.data.datasets.pinned_judgements import JUDGEMENT_SOURCES, TEXT_SOURCES
from crowdgold.data.datasets.source import File, Source

PRODUCTS = (
    "https://raw.githubusercontent.com/zhydhkcws/crowd_truth_infer/"
    "8d216471071f09b9e474ee19f8d692447f982f88/datasets/d_jn-product"
)
CALIBRATION = (
    "https://raw.githubusercontent.com/jsbaan/calibration-on-disagreement-data/"
    "990e81cacadac5d0268160d1c02bad19d4ddb9a3/data"
)
FIGSHARE = "https://ndownloader.figshare.com/files"
TALK_LABELS = (
    "Wulczyn, Thain and Dixon (2017), Ex machina: personal attacks seen at scale, WWW; "
    "Thain, Dixon and Wulczyn (2017), Wikipedia Talk Labels: Toxicity, figshare 4563973"
)
TALK_CAUTIONS = (
    "The comments hold abusive text; only their scores are kept. The ids of the crowd's workers "
    "are not kept. No checksum of the files is known: that of the first copy is recorded."
)


def _prediction_urls() -> tuple[str, ...]:
    models = {"MNLI": {"roberta-base": 3}, "SNLI": {"roberta-base": 3, "bert-base-uncased": 2}}
    return tuple(
        f"{CALIBRATION}/predictions/{task}_{split}_{model}_{seed}.json"
        for task, seeds in models.items()
        for split in ("dev", "test")
        for model, count in seeds.items()
        for seed in range(count)
    )


TALK_ANNOTATIONS = File(
    "toxicity_annotations.tsv", None, (f"{FIGSHARE}/7394539",), starts_with="rev_id\t"
)
TALK_COMMENTS = File(
    "toxicity_annotated_comments.tsv", None, (f"{FIGSHARE}/7394542",), starts_with="rev_id\t"
)

CHAOSNLI_LABELS = (
    File(
        "chaosNLI_snli.jsonl",
        "99f9015ddda7d85f66a087452bc30d53974314fe27e7d589e2f41ad44bd509c1",
        (f"{CALIBRATION}/chaosNLI_v1.0/chaosNLI_snli.jsonl",),
    ),
    File(
        "chaosNLI_mnli_m.jsonl",
        "8eb49b589488e7b1a9ec95fb8a864bd50f0509b4f808eed0aed3f8167617664d",
        (f"{CALIBRATION}/chaosNLI_v1.0/chaosNLI_mnli_m.jsonl",),
    ),
)
CHAOSNLI = (
    "Nie, Zhou and Bansal (2020), What can we learn from collective human opinions on natural "
    "language inference data?, EMNLP"
)

SOURCES = {
    "product_pairs": Source(
        files=(
            File(
                "answer.csv",
                "ca69e3f2cba3d6f9c3b3ecc2f8d2a81afcd747d0b91aa5ab18608a5715e26adc",
                (f"{PRODUCTS}/answer.csv",),
            ),
            File(
                "truth.csv",
                "9a5757c726ef1a32b05f6a675924c483b24d602c61b1a2d087ab3d84f90b3766",
                (f"{PRODUCTS}/truth.csv",),
            ),
            File(
                "products.csv",
                "ff9460fe8a2c7b1cb1ebdb09221ac48e8003490911b0bfd5fa5f779caad84534",
                (f"{PRODUCTS}/data_product",),
                products_from_lists,
            ),
        ),
        licence="none stated by the source: not to be passed on",
        citation="Wang, Kraska, Franklin and Feng (2012), CrowdER: crowdsourcing entity "
        "resolution, PVLDB 5(11); as collected by Zheng, Li, Li, Shan and Cheng (2017), Truth "
        "inference in crowdsourcing: is the problem solved?, PVLDB 10(5)",
        cautions="The last character of a pair's id in the source is its true label. The source "
        "carries the ids of the crowd's workers, which are not kept.",
    ),
    "chaosnli": Source(
        files=(
            *CHAOSNLI_LABELS,
            File(
                "predictions.csv",
                "86401a851557e1cc1746551ffad7cbd700904378da7191b3a2f77049771d068c",
                _prediction_urls(),
                predictions_from_json_lines,
            ),
        ),
        licence="CC BY-NC 4.0 (ChaosNLI); none stated (predictions): not for commercial use",
        citation=f"{CHAOSNLI}; predictions by Baan, Aziz, Plank and "
        "Fernandez (2022), Stop measuring calibration when humans disagree, EMNLP",
        cautions="The items were chosen for the disagreement of their first five labels, which "
        "are not used. An item's id ends with its old label.",
    ),
    "wikipedia_talk": Source(
        files=(TALK_ANNOTATIONS, TALK_COMMENTS),
        licence="CC0 (labels); CC BY-SA 3.0 (comments)",
        citation=TALK_LABELS,
        cautions=TALK_CAUTIONS,
        on_request=True,
    ),
    "wikipedia_conversations": Source(
        files=(
            TALK_ANNOTATIONS,
            File(
                "perspective.csv",
                None,
                ("https://doi.org/10.5281/zenodo.6817093",),
                perspective_from_conversations,
                parts="conversations-part*",
                starts_with="rev_id,toxicity",
            ),
        ),
        licence="CC0 (labels, conversations); CC BY-SA 3.0 (comments)",
        citation="Cécillon, Labatut, Dufour and Linarès (2020), WAC: a corpus of Wikipedia "
        f"conversations for online abuse detection, LREC; {TALK_LABELS}",
        cautions=TALK_CAUTIONS,
        on_request=True,
    ),
    "chaosnli_texts": Source(
        files=CHAOSNLI_LABELS,
        licence="CC BY-NC 4.0: not for commercial use",
        citation=CHAOSNLI,
        cautions="The items were chosen for the disagreement of their first five labels, which "
        "are not used. The texts are kept in the prepared table.",
        folder="chaosnli",
    ),
    **JUDGEMENT_SOURCES,
    **TEXT_SOURCES,
}
