trackway --color=always --help
