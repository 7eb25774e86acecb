"""Where the texts that several people judged come from (HLV, section 5.1), pinned as others are."""

from crowdgold.data.datasets.source import File, Source

LEWIDI = (
    "https://raw.githubusercontent.com/Le-Wi-Di/le-wi-di.github.io/"
    "45d7b06e4c36b59472d6bdf9281f7f1e395eb0e0/LeWiDi_2-2023"
)
MFRC = "https://huggingface.co/datasets/USC-MOLA-Lab/MFRC/resolve/main/final_mfrc_data.csv"
TASK = (
    "as released for SemEval-2023 task 11 by Leonardelli et al. (2023), Learning with disagreements"
)
ABUSIVE = "The texts hold abusive language, and are kept in the prepared table: do not pass it on."
NOT_STATED = "none stated by the source: not to be passed on"

SHA256 = {
    "ArMIS_train.json": "549dcd92484fa916e4b8076476fba451cda09b8dca0ba501e70cf5a72c1397f7",
    "ArMIS_dev.json": "482112222496c64a704ea22f710bf184196beee848f5109406e3ca6196502526",
    "ArMIS_test.json": "95498bb854fe476ee33a88cfecb3b05f26e0e1baef6c1083072a56b61586c06a",
    "HS-Brexit_train.json": "d204d83c7b1a73f037b3aff36aac61357c08a96f96292a37ac7655eb562d81fb",
    "HS-Brexit_dev.json": "77c17f95985cbb6db47ffcda637e717a9074f2660e15b5c0c1f9006f50da60a7",
    "HS-Brexit_test.json": "24e5e1615818ff6e3b96e50245cfe10636ef8ec0ea51f2c2a60acb68858fd195",
    "MD-Agreement_train.json": "0b100595f7d10fd9b4624c647af2888597472b2dea90643dc788278714f57a6d",
    "MD-Agreement_dev.json": "b42b6b54015589504de259241e14c17ff605baab4eb146effcb17a95fbfd69f5",
    "MD-Agreement_test.json": "a30f185ece8bc99a45ce50e0311593ee1a6882a816c93f6915cabd368f3fad53",
}
"""Of the files as the source publishes them."""


def _files(name: str) -> tuple[File, ...]:
    return tuple(
        File(file, sha256, (f"{LEWIDI}/{name}_dataset/{file}",))
        for file, sha256 in SHA256.items()
        if file.startswith(f"{name}_")
    )


TEXT_SOURCES = {
    "hs_brexit": Source(
        files=_files("HS-Brexit"),
        licence=NOT_STATED,
        citation="Akhtar, Basile and Patti (2021), Whose opinions matter? Perspective-aware models "
        f"to identify opinions of hate speech victims, arXiv 2106.15896; {TASK}",
        cautions=ABUSIVE,
        folder="lewidi2023",
    ),
    "md_agreement": Source(
        files=_files("MD-Agreement"),
        licence=NOT_STATED,
        citation="Leonardelli, Menini, Palmero Aprosio, Guerini and Tonelli (2021), Agreeing to "
        f"disagree: annotating offensive language datasets, EMNLP; {TASK}",
        cautions=ABUSIVE,
        folder="lewidi2023",
    ),
    "armis": Source(
        files=_files("ArMIS"),
        licence=NOT_STATED,
        citation="Almanea and Poesio (2022), ArMIS: the Arabic misogyny and sexism corpus with "
        f"annotator subjective disagreements, LREC; {TASK}",
        cautions=ABUSIVE,
        folder="lewidi2023",
    ),
    "mfrc": Source(
        files=(
            File(
                "final_mfrc_data.csv",
                None,
                (MFRC,),
                starts_with="text,subreddit,bucket,annotator,annotation",
            ),
        ),
        licence="stated on the page of the dataset, which was not looked at here",
        citation="Trager et al. (2022), The Moral Foundations Reddit Corpus, arXiv 2208.05545",
        cautions=f"{ABUSIVE} No checksum of the files is known: that of the first copy is "
        "recorded.",
        on_request=True,
    ),
}
"""The datasets by name; ChaosNLI's texts are in files that are pinned already."""
