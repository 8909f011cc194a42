trackway explain AT041
