trackway explain AT0411
