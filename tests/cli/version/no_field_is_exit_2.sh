trackway version --json=
