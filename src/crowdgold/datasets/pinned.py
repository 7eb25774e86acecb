"""Where each dataset's files come from: address, checksum, licence, citation, cautions.

An address is pinned to a commit or to the number of a published file, so it always gives the same
bytes. The checksum is that of the file as the dataset is read from it, unpacked; where none is
known, that of the first copy is recorded (`source`). STABLEVAL's appendix B names other licences
than the sources do; those of the sources stand here.
"""

from crowdgold.datasets.source import (
    Converter,
    File,
    Source,
    perspective_from_conversations,
    predictions_from_json_lines,
    products_from_lists,
)

SUMS = """\
ca69e3f2cba3d6f9c3b3ecc2f8d2a81afcd747d0b91aa5ab18608a5715e26adc  answer.csv
9a5757c726ef1a32b05f6a675924c483b24d602c61b1a2d087ab3d84f90b3766  truth.csv
ff9460fe8a2c7b1cb1ebdb09221ac48e8003490911b0bfd5fa5f779caad84534  products.csv
99f9015ddda7d85f66a087452bc30d53974314fe27e7d589e2f41ad44bd509c1  chaosNLI_snli.jsonl
8eb49b589488e7b1a9ec95fb8a864bd50f0509b4f808eed0aed3f8167617664d  chaosNLI_mnli_m.jsonl
86401a851557e1cc1746551ffad7cbd700904378da7191b3a2f77049771d068c  predictions.csv
5a6e20201f2c5d5d2489865137987c5d68d04c5b4e84662f99bb03862bb3a575  mturk_cnndm.jsonl
1fb9af32ba64b0df54b26e12456b0b0324a519a85348c1f7b268899ad6269a15  mturk_xsum.jsonl
c054ed30375651cd234930eada705fee6fcad79f86bdca45c1e557284b6b1af4  ConvAbuseEMNLPfull.csv
88923b24356508e50db8188f06da7308e70972a2e53d291c6c7816b2fb0a2680  cochrane_A1.tsv
aa1ec82868a9d657279543f509926571336b70c13546fd31cd36ee760da007f8  cochrane_A2.tsv
2b300a607ed3c60cb1d40c762dac46e39e10a78219d62aad6404b6880b44646a  formatted_mtbench.csv
20f09bb1ba0db90d9dacd69653767eedbdde0a6bd95ef24b77965f7276cbcf0c  qags/item_scores_pec.csv
e4a12aa174594cbc128f939a610ec26231c003a40c08706014a4886e286be534  convabuse/item_scores_pec.csv
099ac7b9e61b2299c1d68db2b98bacc1d8ab02eea3f3e8bd07fe58ffab59a924  mslr/item_scores_pec.csv
1c9b14afb24ac4c62fe3d7eecb30845a3e2f76263fb14ebeeb62b58429c6376b  mtbench/item_scores_pec.csv
d204d83c7b1a73f037b3aff36aac61357c08a96f96292a37ac7655eb562d81fb  HS-Brexit_train.json
77c17f95985cbb6db47ffcda637e717a9074f2660e15b5c0c1f9006f50da60a7  HS-Brexit_dev.json
24e5e1615818ff6e3b96e50245cfe10636ef8ec0ea51f2c2a60acb68858fd195  HS-Brexit_test.json
0b100595f7d10fd9b4624c647af2888597472b2dea90643dc788278714f57a6d  MD-Agreement_train.json
b42b6b54015589504de259241e14c17ff605baab4eb146effcb17a95fbfd69f5  MD-Agreement_dev.json
a30f185ece8bc99a45ce50e0311593ee1a6882a816c93f6915cabd368f3fad53  MD-Agreement_test.json
549dcd92484fa916e4b8076476fba451cda09b8dca0ba501e70cf5a72c1397f7  ArMIS_train.json
482112222496c64a704ea22f710bf184196beee848f5109406e3ca6196502526  ArMIS_dev.json
95498bb854fe476ee33a88cfecb3b05f26e0e1baef6c1083072a56b61586c06a  ArMIS_test.json
"""
"""The files whose sha256 is known, as `sha256sum` writes them."""
SHA256 = {name: sha256 for sha256, name in map(str.split, SUMS.splitlines())}

GITHUB = "https://raw.githubusercontent.com"
QAGS = f"{GITHUB}/W4ngatang/qags/47798e9b63344e2d3fb4df2def6edc18e9402d30/data"
CONVABUSE = f"{GITHUB}/amandacurry/convabuse/c0a9469f48956e868276c605d499010ea3c7c0d0/1_full"
MSLR = (
    f"{GITHUB}/allenai/mslr-annotated-dataset/3317358f52709dfab13b1896608e6b04945198e5/data/"
    "Annotations/Data%20for%20MSLR%20Annotation%20-%20Cochrane%20Subtask%20-%20"
)
STABLEVAL = (
    f"{GITHUB}/BSAkash/STABLEVAL/efff8a6e6688799b645dee535d819ffd5eb05443/"
    "Disagreement-Agent-Modeling-on-Real-Datasets-7D67"
)
LEWIDI = (
    f"{GITHUB}/Le-Wi-Di/le-wi-di.github.io/45d7b06e4c36b59472d6bdf9281f7f1e395eb0e0/LeWiDi_2-2023"
)
MFRC = "https://huggingface.co/datasets/USC-MOLA-Lab/MFRC/resolve/main/final_mfrc_data.csv"
PRODUCTS = (
    f"{GITHUB}/zhydhkcws/crowd_truth_infer/8d216471071f09b9e474ee19f8d692447f982f88/"
    "datasets/d_jn-product"
)
CALIBRATION = (
    f"{GITHUB}/jsbaan/calibration-on-disagreement-data/"
    "990e81cacadac5d0268160d1c02bad19d4ddb9a3/data"
)
FIGSHARE = "https://ndownloader.figshare.com/files"

PAPER = "Bonagiri et al. (2026), STABLEVAL, arXiv 2605.02122"
TASK = (
    "as released for SemEval-2023 task 11 by Leonardelli et al. (2023), Learning with disagreements"
)
TALK_LABELS = (
    "Wulczyn, Thain and Dixon (2017), Ex machina: personal attacks seen at scale, WWW; "
    "Thain, Dixon and Wulczyn (2017), Wikipedia Talk Labels: Toxicity, figshare 4563973"
)
CHAOSNLI = (
    "Nie, Zhou and Bansal (2020), What can we learn from collective human opinions on natural "
    "language inference data?, EMNLP"
)
NOT_STATED = "none stated by the source: not to be passed on"
ABUSIVE = "The texts hold abusive language, and are kept in the prepared table: do not pass it on."
TALK_CAUTIONS = (
    "The comments hold abusive text; only their scores are kept. The ids of the crowd's workers "
    "are not kept. No checksum of the files is known: that of the first copy is recorded."
)


def _file(name: str, *urls: str, convert: Converter | None = None) -> File:
    """A file whose sha256 is pinned, at its own address or made of several."""
    return File(name, SHA256[name], urls, convert)


TALK_ANNOTATIONS = File(
    "toxicity_annotations.tsv", None, (f"{FIGSHARE}/7394539",), starts_with="rev_id\t"
)
TALK_COMMENTS = File(
    "toxicity_annotated_comments.tsv", None, (f"{FIGSHARE}/7394542",), starts_with="rev_id\t"
)
CHAOSNLI_LABELS = tuple(
    _file(name, f"{CALIBRATION}/chaosNLI_v1.0/{name}")
    for name in ("chaosNLI_snli.jsonl", "chaosNLI_mnli_m.jsonl")
)


def _lewidi(name: str, citation: str) -> Source:
    """A dataset of Learning with Disagreements 2023, which share a folder."""
    files = [file for file in SHA256 if file.startswith(f"{name}_")]
    return Source(
        tuple(_file(file, f"{LEWIDI}/{name}_dataset/{file}") for file in files),
        NOT_STATED, f"{citation}; {TASK}", ABUSIVE, folder="lewidi2023",
    )  # fmt: skip


SOURCES = {
    "product_pairs": Source(
        files=(
            _file("answer.csv", f"{PRODUCTS}/answer.csv"),
            _file("truth.csv", f"{PRODUCTS}/truth.csv"),
            _file("products.csv", f"{PRODUCTS}/data_product", convert=products_from_lists),
        ),
        licence=NOT_STATED,
        citation="Wang, Kraska, Franklin and Feng (2012), CrowdER: crowdsourcing entity "
        "resolution, PVLDB 5(11); as collected by Zheng, Li, Li, Shan and Cheng (2017), Truth "
        "inference in crowdsourcing: is the problem solved?, PVLDB 10(5)",
        cautions="The last character of a pair's id in the source is its true label. The source "
        "carries the ids of the crowd's workers, which are not kept.",
    ),
    "chaosnli": Source(
        files=(
            *CHAOSNLI_LABELS,
            _file(
                "predictions.csv",
                *(
                    f"{CALIBRATION}/predictions/{task}_{split}_{model}_{seed}.json"
                    for task, models in (
                        ("MNLI", {"roberta-base": 3}),
                        ("SNLI", {"roberta-base": 3, "bert-base-uncased": 2}),
                    )
                    for split in ("dev", "test")
                    for model, seeds in models.items()
                    for seed in range(seeds)
                ),
                convert=predictions_from_json_lines,
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
                "perspective.csv", None, ("https://doi.org/10.5281/zenodo.6817093",),
                perspective_from_conversations, "conversations-part*", "rev_id,toxicity",
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
    "qags": Source(
        files=tuple(
            _file(name, f"{QAGS}/{name}") for name in ("mturk_cnndm.jsonl", "mturk_xsum.jsonl")
        ),
        licence=NOT_STATED,
        citation="Wang, Cho and Lewis (2020), Asking and answering questions to evaluate the "
        "factual consistency of summaries, ACL",
        cautions="The ids of the crowd's workers are the source's own running numbers.",
    ),
    "convabuse": Source(
        files=(_file("ConvAbuseEMNLPfull.csv", f"{CONVABUSE}/ConvAbuseEMNLPfull.csv"),),
        licence="CC BY 4.0",
        citation="Curry, Abercrombie and Rieser (2021), ConvAbuse: data, analysis and benchmarks "
        "for nuanced abuse detection in conversational AI, EMNLP",
        cautions="The conversations hold abusive text; only ids and labels are kept. An id is that "
        "of a conversation, of which 355 hold several utterances: as in the paper their labels are "
        "taken for labels of one response.",
    ),
    "mslr": Source(
        files=tuple(_file(f"cochrane_{who}.tsv", f"{MSLR}{who}.tsv") for who in ("A1", "A2")),
        licence="Apache-2.0",
        citation="Wang, DeYoung and Wallace (2022), Overview of MSLR2022: a shared task on "
        "multi-document summarization for literature reviews, SDP",
        cautions="29 of the 78 labels rest on fewer than four facets; effect direction and "
        "strength of claim play no part.",
    ),
    "mt_bench": Source(
        files=(
            _file("formatted_mtbench.csv", f"{STABLEVAL}/data/processed/formatted_mtbench.csv"),
        ),
        licence="CC BY 4.0 (the judgements, lmsys/mt_bench_human_judgments); MIT (their table)",
        citation="Zheng et al. (2023), Judging LLM-as-a-judge with MT-Bench and Chatbot Arena, "
        f"NeurIPS; as formatted by {PAPER}",
        cautions="A judgement of two responses gives two labels that add to 2, so that labels are "
        "not independent; a judge labels a response once for each opponent, 519 times again.",
    ),
    "stableval_published": Source(
        files=tuple(
            _file(
                f"{name}/item_scores_pec.csv", f"{STABLEVAL}/results/{folder}/item_scores_pec.csv"
            )
            for name, folder in (
                ("qags", "qags/formatted_qags"),
                ("convabuse", "formatted_convabuse"),
                ("mslr", "formatted_mslr"),
                ("mtbench", "formatted_mtbench"),
            )
        ),
        licence="MIT (the labels keep their own licences)",
        citation=PAPER,
        cautions="Result files of the paper's authors, to hold ours against; nothing is drawn from "
        "them.",
    ),
    "hs_brexit": _lewidi(
        "HS-Brexit",
        "Akhtar, Basile and Patti (2021), Whose opinions matter? Perspective-aware models "
        "to identify opinions of hate speech victims, arXiv 2106.15896",
    ),
    "md_agreement": _lewidi(
        "MD-Agreement",
        "Leonardelli, Menini, Palmero Aprosio, Guerini and Tonelli (2021), Agreeing to "
        "disagree: annotating offensive language datasets, EMNLP",
    ),
    "armis": _lewidi(
        "ArMIS",
        "Almanea and Poesio (2022), ArMIS: the Arabic misogyny and sexism corpus with "
        "annotator subjective disagreements, LREC",
    ),
    "mfrc": Source(
        files=(
            File(
                "final_mfrc_data.csv", None, (MFRC,),
                starts_with="text,subreddit,bucket,annotator,annotation",
            ),
        ),
        licence="stated on the page of the dataset, which was not looked at here",
        citation="Trager et al. (2022), The Moral Foundations Reddit Corpus, arXiv 2208.05545",
        cautions=f"{ABUSIVE} No checksum of the files is known: that of the first copy is "
        "recorded.",
        on_request=True,
    ),
}  # fmt: skip
