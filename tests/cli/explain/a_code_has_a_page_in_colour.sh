trackway --color always explain AT041
