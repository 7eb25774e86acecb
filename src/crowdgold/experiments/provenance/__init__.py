"""Where numbers come from, whether they are as written, and whether they can be had again.

- code of a job: `imports`
- what is recorded: `record` (of a job), `made_from` (of a table), `figure_record`, `tracing`
- whole and unchanged: `seals` (a file), `integrity` (a folder)
- of one mind: `mixed_code` (a figure's tables), `verification` (made again)
"""
