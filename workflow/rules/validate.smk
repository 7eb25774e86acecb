# What: says whether the intervals cover where they must, and miss where a control must miss.
# Needs: results/summaries/maven_coverage.parquet
# Makes: results/summaries/maven_coverage_verdict.txt; fails where an expectation does not hold.


rule verdict:
    input:
        library=library("verdict.py"),
        summary="<results>/summaries/maven_coverage.parquet",
    output:
        "<results>/summaries/maven_coverage_verdict.txt",
    log:
        "<results>/logs/maven_coverage_verdict.log",
    conda:
        "../../environment.yml"
    params:
        covers={"MAVEN": ["prevalence", "TNR_H", "TPR_H"]},
        # Not prevalence: at these parameters the errors of the majority nearly cancel in it.
        misses={"MV": ["TNR_H", "TPR_H", "AUC"]},
    message:
        "Holding coverage against what is expected of it"
    script:
        "../../scripts/verdict.py"
