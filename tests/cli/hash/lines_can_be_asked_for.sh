printf '[1.0]\n[2.0]\n' | trackway hash --lines -
printf '[1]\n[2]\n' | sha256sum
