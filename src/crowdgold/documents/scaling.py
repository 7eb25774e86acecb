"""The page on time and memory against the number of items: docs/scaling.md."""

import pandas as pd

from crowdgold.documents.markdown import markdown_table


def scaling_page(table: pd.DataFrame) -> str:
    """Write the page on time and memory against the number of items."""
    parts = ["summary", "vote model", "score model", "inference", "imputation", "total", "peak MB"]
    rows = [
        [
            f"{int(row['n']):,}",
            *(f"{row[part]:.2f}" for part in parts[:-1]),
            f"{row['peak MB']:.0f}",
        ]
        for _, row in table.iterrows()
    ]
    first, ratio = table.iloc[0], table["nested score model"] / table["score model"]
    return "\n".join(
        [
            "# Time and memory\n",
            "One MAVEN estimate on one core: seconds by part, 500 imputed data sets, 17 metrics. "
            "Inference is the vote model (4 chains of 500 draws by Stan) and the score model (the "
            "exact cut); the summary and the imputation go with n. Made by `make docs`.\n",
            markdown_table(["n", *parts], rows) + "\n",
            f"Inference takes {table['inference'].min():.2f} to {table['inference'].max():.2f} s "
            f"over this range, and grows like n to the power {first['inference_exponent']:.2f}. "
            "The paper's way, nested fits by Stan, takes "
            f"{ratio.min():.0f} to {ratio.max():.0f} times as long for the score model as the "
            "exact cut, in the same run.\n",
            "![Seconds by part against the number of items](gallery/maven_scaling.svg)\n",
        ]
    )
