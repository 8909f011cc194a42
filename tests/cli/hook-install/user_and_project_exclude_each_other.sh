# One file at a time.
trackway hook install cursor --user --project
