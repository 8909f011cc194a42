# The group itself does nothing but show what there is.
trackway hook --help | grep -E "^  hook (claude-code|cursor|install|remove) "
