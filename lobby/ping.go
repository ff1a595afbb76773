package lobby

type sentPing struct{}
