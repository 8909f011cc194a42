# 1 when there is an escape sequence. Standard error is no terminal here, so colour must be asked for.
shows() { "$@" 2>&1 | grep -c "$(printf '\033')" || :; }
shows trackway nothing
shows env CLICOLOR_FORCE=1 trackway nothing
shows env CLICOLOR_FORCE=1 NO_COLOR=1 trackway nothing
shows env CLICOLOR_FORCE=0 trackway nothing
shows env NO_COLOR=1 trackway --color=always nothing
shows env CLICOLOR_FORCE=1 trackway --color=never nothing
