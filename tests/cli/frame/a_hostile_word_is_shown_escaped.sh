trackway "$(printf 'a\033[2J\nb')"
