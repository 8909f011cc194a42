# There is nothing to take out, and no file is made.
trackway hook remove cursor --project
[ ! -e .cursor ]
