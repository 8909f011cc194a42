# The counts, for programs; --user is the default, spelt out.
trackway hook install cursor --user | sed "s#$HOME#~#"
trackway hook remove cursor --user --json | sed "s#$HOME#~#"
trackway hook remove cursor --json=removed,changed
