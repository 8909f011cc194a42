trackway show x --transcript --plain
