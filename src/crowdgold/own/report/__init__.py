"""The parts of the report on a user's own study (`page`).

folder          the folder of an evaluation, read and checked
words           numbers and metrics in plain words
answers         a sentence for each headline
doubts          what would change the answer
check           the data check
assumptions     what each method takes for granted
tables          all numbers, fits, strata, annotators
figures         estimates and curves; predictive: votes and wins against data drawn from the fit
inline_figures  figures inside the page, and as pages of a PDF
"""
