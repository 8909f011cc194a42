trackway verson
