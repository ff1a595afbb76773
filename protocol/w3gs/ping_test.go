package w3gs

var pingGoldens = []golden{
	{name: "PingFromHost", dir: FromHost, want: &PingFromHost{Tick: 0x00C26939}},
	{name: "PongToHost", dir: FromClient, want: &PongToHost{Tick: 0x00C26939}},
	{name: "PongToHost/first", dir: FromClient, want: &PongToHost{Tick: FirstPongTick}},
}
