trackway version --json=verzion
