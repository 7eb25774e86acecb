# What: reads the configuration: the workflow's own files, and over them what the user gives.
# Needs: config/experiments/*.yaml, config/config.yaml (a link to config.yaml in a checkout), and the
#        file of the scale; the library.
# Makes: nothing; defines ROOT, the folder of the workflow's own files, and PLACES, the file and line
#        of each key, for messages. The files are read here before Snakemake reads them, because it
#        takes a key that stands twice silently, and does not say where a file is no YAML.

import os
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.pathvars import Pathvars
from snakemake.utils import update_config

try:
    from crowdgold.types.errors import InputError
    from crowdgold.system.packages import postpone
except ModuleNotFoundError as absent:
    raise WorkflowError(
        f"no module {absent.name!r}: install the library that these rules use, "
        "pip install '.[workflow]' in a checkout, else pip install 'crowdgold[workflow]'"
    ) from None

postpone()  # what methods and plots compute with: planning needs their names alone

from crowdgold.experiment.configuration import load, places_of
from crowdgold.experiment.publication import laid_over
from crowdgold.experiment.wiring import choices, source_folder

try:
    ROOT = source_folder(
        str(workflow.current_basedir),
        lambda: Path(
            workflow.source_path("../../src/crowdgold/__init__.py")
        ).read_text(),
    )
    # Relative to the folder of the run: the same text wherever a checkout lies.
    CONFIG = Path(os.path.relpath(ROOT / "config"))
    EXPERIMENT_FILES = sorted((CONFIG / "experiments").glob("*.yaml"))
    DEFAULT = Path(os.path.relpath((CONFIG / "config.yaml").resolve()))
    SCALE = [CONFIG / f"{config['scale']}.yaml"] if "scale" in config else []
    # On a cluster each job reads these files again, which were checked when the run began.
    PLACES = (
        places_of(
            EXPERIMENT_FILES,
            [DEFAULT, *SCALE, *map(Path, workflow.overwrite_configfiles)],
        )
        if workflow.is_main_process
        else {}
    )
except InputError as error:
    raise WorkflowError(str(error)) from None


for path in [*EXPERIMENT_FILES, DEFAULT]:

    configfile: str(path)


if config.get("scale") == "published":
    update_config(config, laid_over(config, CONFIG))

for path in SCALE:

    configfile: str(path)


# A Snakefile that uses this one as a module with a configuration of its own makes Snakemake skip
# these files. They are read here, and what that configuration chooses is laid over them: only where
# it differs from the default, so that a copy of the default does not undo a scale.
if workflow.modifier.skip_configfile:
    chosen = choices(config, load(DEFAULT))
    config.clear()
    for path in [*EXPERIMENT_FILES, DEFAULT, *SCALE]:
        update_config(config, load(path))
    update_config(config, chosen)
    workflow.pathvars.update(Pathvars.from_config(config, module_level=True))
