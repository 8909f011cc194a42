trackway --generate complete-tcsh
