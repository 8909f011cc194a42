trackway --color=always version --jsno
