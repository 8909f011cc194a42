printf '[1.0]\n[2.0]\n' | trackway hash -
