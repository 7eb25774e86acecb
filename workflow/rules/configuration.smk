# What: reads the configuration: the workflow's own files, and below what is given.
# Needs: config/experiments/*.yaml, config/config.yaml (a link to config.yaml in a checkout), and the
#        file of the scale; the library.
# Makes: nothing; defines ROOT, the folder of the workflow's own files, and PLACES, where each key
#        stands, for messages. The files are read once before Snakemake does, which takes silently
#        what is refused here (a key that stands twice) and does not say where a file is no YAML.

import os
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.pathvars import Pathvars
from snakemake.utils import update_config

try:
    from crowdgold.system.lazy_imports import postpone
    from crowdgold.types.errors import InputError
except ModuleNotFoundError as absent:
    raise WorkflowError(
        f"no module {absent.name!r}: install the library that these rules use, "
        "pip install '.[workflow]' in a checkout, else pip install 'crowdgold[workflow]'"
    ) from None

postpone()  # what methods and plots compute with: planning needs their names alone

from crowdgold.experiment.configuration import load, places_of
from crowdgold.experiment.published import laid_over
from crowdgold.experiment.wiring import choices, source_folder

try:
    ROOT = source_folder(
        str(workflow.current_basedir),
        lambda: Path(
            workflow.source_path("../../src/crowdgold/__init__.py")
        ).read_text(),
    )
    # As seen from the folder of the run: the same wherever the whole lies.
    CONFIG = Path(os.path.relpath(ROOT / "config"))
    OWN = sorted((CONFIG / "experiments").glob("*.yaml"))
    DEFAULT = Path(os.path.relpath((CONFIG / "config.yaml").resolve()))
    SCALE = [CONFIG / f"{config['scale']}.yaml"] if "scale" in config else []
    # On a cluster each job reads these files again, which were checked when the run began.
    PLACES = (
        places_of(OWN, [DEFAULT, *SCALE, *map(Path, workflow.overwrite_configfiles)])
        if workflow.is_main_process
        else {}
    )
except InputError as error:
    raise WorkflowError(str(error)) from None


for path in [*OWN, DEFAULT]:

    configfile: str(path)


if config.get("scale") == "published":
    update_config(config, laid_over(config, CONFIG))

for path in SCALE:

    configfile: str(path)


# A module with a configuration of its own skips these files; what that says is laid over them. It
# may be a copy of the default, which is no choice against a scale.
if workflow.modifier.skip_configfile:
    given = choices(config, load(DEFAULT))
    config.clear()
    for path in [*OWN, DEFAULT, *SCALE]:
        update_config(config, load(path))
    update_config(config, given)
    workflow.pathvars.update(Pathvars.from_config(config, module_level=True))
