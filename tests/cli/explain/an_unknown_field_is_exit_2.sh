trackway explain AT103 --json=colour
