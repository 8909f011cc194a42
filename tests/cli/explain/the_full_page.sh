trackway explain --help
