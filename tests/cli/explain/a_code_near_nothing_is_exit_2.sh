trackway explain something
