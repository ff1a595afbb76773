package lobby

type autoStart struct{}
