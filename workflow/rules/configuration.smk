# What: reads the files of the configuration before Snakemake does, which takes silently what is
#       refused here (a key that stands twice) and does not say where a file is no YAML.
# Needs: the names of the files, from the Snakefile.
# Makes: nothing; defines where each key stands, for messages.

from pathlib import Path

from snakemake.exceptions import WorkflowError

from crowdgold.experiments.configuration.files import ConfigurationError, places_of

OWN = [Path(f"config/experiments/{name}.yaml") for name in experiments]
ABOVE = [Path("config.yaml"), *(Path(f"{name}.yaml") for name in scale)]
# On a cluster each job reads these files again, which were checked when the run began.
try:
    PLACES = (
        places_of(OWN, [*ABOVE, *map(Path, workflow.overwrite_configfiles)])
        if workflow.is_main_process
        else {}
    )
except ConfigurationError as error:
    raise WorkflowError(str(error)) from None
