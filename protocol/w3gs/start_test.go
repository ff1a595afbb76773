package w3gs

var startGoldens = []golden{
	{name: "CountdownStart", dir: FromHost, want: &CountdownStart{}},
	{name: "CountdownEnd", dir: FromHost, want: &CountdownEnd{}},
	{name: "LoadedSelf", dir: FromClient, want: &LoadedSelf{}},
	{name: "GameLoaded", dir: FromHost, want: &GameLoaded{PID: 12}},
}
