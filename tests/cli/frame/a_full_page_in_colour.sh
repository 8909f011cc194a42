trackway --color always version --help
