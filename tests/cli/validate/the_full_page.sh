trackway validate --help
