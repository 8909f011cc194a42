trackway completion --help
