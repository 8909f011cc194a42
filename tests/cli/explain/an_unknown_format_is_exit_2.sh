trackway explain --format otult
