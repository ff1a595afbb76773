package w3gs

import "testing"

var lanGoldens = []golden{
	{name: "SearchGame", dir: LAN, want: &SearchGame{Product: ProductTFT, Version: 21}},
	{name: "SearchGame/1", dir: LAN, want: &SearchGame{Product: ProductTFT, Version: 21, GameID: 1}},
	{name: "SearchGame/8", dir: LAN, want: &SearchGame{Product: ProductTFT, Version: 21, GameID: 8}},
	{name: "SearchGame/ROC", dir: LAN, want: &SearchGame{Product: ProductROC, Version: 26}},
	{name: "DecreateGame", dir: LAN, want: &DecreateGame{}},
	{name: "DecreateGame/7", dir: LAN, want: &DecreateGame{GameID: 7}},
	{name: "RefreshGame", dir: LAN, want: &RefreshGame{Players: 1}},
	{name: "RefreshGame/text", dir: LAN, want: &RefreshGame{Players: 1, Slots: 2}},
	{name: "CreateGame", dir: LAN, want: &CreateGame{Product: ProductTFT, Version: 26, GameID: 1}},
	{name: "GameInfo/1.20", dir: LAN, want: &GameInfo{
		Product: ProductTFT, Version: 20, GameID: 1, EntryKey: 0x00C26939,
		Name: "当地局域网内的游戏 (vs",
		Stat: StatString{
			Settings: SpeedFast | VisibilityDefault | TeamsTogether | FixedTeams,
			Width:    118, Height: 120, Checksum: 0x30B9D599,
			MapPath: `Maps\Download\DotA Allstars v6.61c.w3x`, HostName: "vs",
		},
		Slots: 10, Type: GameTypeCustom, Unknown: 1, SlotsOpen: 10, UptimeSeconds: 27, Port: 6112,
	}},
	{name: "GameInfo/1.21", dir: LAN, want: &GameInfo{
		Product: ProductTFT, Version: 21, GameID: 1, EntryKey: 0x01E50A39,
		Name: "当地局域网内的游戏 (Fl",
		Stat: StatString{
			Settings: SpeedFast | VisibilityDefault | TeamsTogether | FixedTeams,
			Width:    84, Height: 84, Checksum: 0x9BC2650C,
			MapPath: `Maps\iest\(2)TerenasStand.w3x`, HostName: "FlyingSnow",
		},
		Slots: 2, Type: GameTypeCustom, Unknown: 1, SlotsOpen: 1, UptimeSeconds: 8, Port: 6112,
	}},
	{name: "GameInfo/SHA-1", dir: LAN, want: &GameInfo{
		Product: ProductTFT, Version: 26, GameID: 3, EntryKey: 0x0BADC0DE,
		Name: "w3host 1",
		Stat: StatString{
			Settings: 0x00064802, Width: 116, Height: 84, Checksum: 0x30B9D599,
			MapPath: `Maps\Download\w3host.w3x`, HostName: "w3host",
			SHA1: mapCheckGolden.SHA1, HasSHA1: true,
		},
		Slots: 12, Type: GameTypeCustom | GameTypeSigned, Unknown: 1, SlotsOpen: 11, UptimeSeconds: 300, Port: 6112,
	}},
	{name: "SearchGame/3.0", dir: LAN, want: &SearchGame{Product: ProductTFT, Version: VersionThree.LANNumber()}},
	{name: "GameInfo/3.0", dir: LAN, want: &GameInfo{
		Product: ProductTFT, Version: VersionThree.LANNumber(), GameID: 1, Name: "game",
		Stat: StatString{
			Settings: 0x00067802, Checksum: 0x1002B878, MapPath: `Maps\Wisp\x.w3x`, HostName: "w3host",
			SHA1: [20]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}, HasSHA1: true,
		},
		Slots: 24, Type: GameTypeObsFull, Unknown: 1, SlotsOpen: 3, UptimeSeconds: 5, Port: 6112,
	}},
}

func TestProduct(t *testing.T) {
	if ProductTFT.String() != "W3XP" || ProductROC.String() != "WAR3" {
		t.Errorf("got %v and %v", ProductTFT, ProductROC)
	}
}
