trackway version --js
