package texts

// chineseHost is what commands of the host answer, by whisper on a realm mostly.
var chineseHost = map[string]string{
	"and %d more": "另有 %d 项",

	// lobbies and games
	"lobby, %d of %d":                                          "房间，%d/%d",
	"game, %d players, %v":                                     "游戏，%d 名玩家，%v",
	"%v, not listed":                                           "%v，未公开",
	"games running: %d":                                        "进行中的游戏：%d",
	"No lobby is open and no game runs.":                       "没有房间，也没有进行中的游戏。",
	"Players: %s":                                              "玩家：%s",
	"there is no game %d: games lists them":                    "没有游戏 %d：用 games 查看列表",
	"Lobby #%d %q is open: %s":                                 "房间 #%d %q 已开放：%s",
	"Lobby #%d %q is open (private): %s":                       "房间 #%d %q 已开放（私人）：%s",
	"Lobby #%d is closed.":                                     "房间 #%d 已关闭。",
	"#%d is no lobby any more; eg %[1]d end ends the game":     "#%d 已不是房间；用 eg %[1]d end 结束游戏",
	"%d lobbies are open: write unhost <id>; games lists them": "有 %d 个房间：请输入 unhost <id>；用 games 查看列表",
	"no map is chosen: write host <map> [name]":                "没有选定地图：请输入 host <map> [name]",
	"no lobbies are opened: enable allows them again":          "不再开新房间：用 enable 恢复",
	"as many lobbies and games as may are there already (autohost.max_games)": "房间和游戏数已达上限（autohost.max_games）",
	"the name is too long: clients list no more than %d bytes":                "名称过长：客户端最多显示 %d 字节",
	"no map has %q in its name":                                               "没有名称包含 %q 的地图",

	// people
	"Thank you, %s.": "谢谢你，%s。",
	"whisper sc to the host's account on your realm": "请在战网上向主机账号密语 sc",
	"nobody is there to hear it":                     "没有人能听到",
	"Said to %d players.":                            "已告诉 %d 名玩家。",
	"Said to %s.":                                    "已告诉 %s。",

	// what is hosted by itself
	"there is no autohost entry": "没有自动开房项",
	"there is no autohost entry: [[autohost]] of the configuration makes one":                             "没有自动开房项：请在配置中写 [[autohost]]",
	"there are several autohost entries: say it in a game of the one you mean, or with eg <id> before it": "有多个自动开房项：请在对应的游戏中说，或在前面加 eg <id>",
	"another entry is called %q": "已有名为 %q 的自动开房项",
	"%q: now %v, next %v":        "%q：现在 %v，下一张：%v",
	"none":                       "无",
	"by %v":                      "按%v",
	"The next map of %q is %s.":  "%q 的下一张地图是 %s。",
	"the next map is not chosen by vote here":                 "这里的下一张地图不由投票决定",
	"no map to vote for has %q in its name: %v":               "没有名称包含 %q 的可投票地图：%v",
	"only players of a lobby or game vote for its next map":   "只有房间或游戏中的玩家可以为下一张地图投票",
	"Your vote for the next map: %s.":                         "你投票的下一张地图：%s。",
	"%d open, %d playing, %d at most, %d so far":              "%d 个房间，%d 局进行中，最多 %d，至今 %d",
	"The next map of %q is %s, and so are those that follow.": "%q 的下一张地图是 %s，之后的也是。",
	"off":           "已停止",
	"not its hours": "不在时段内",
	"%q is hosted: %d games at most, each starts with %d players.":    "%q：最多 %d 局，满 %d 名玩家开始。",
	"Lobbies are kept open again.":                                    "已恢复自动开房。",
	"No lobbies are opened by themselves any more; empty ones close.": "不再自动开房；空房间会关闭。",

	// the host itself
	"No new lobbies are opened.":                                      "不再开新房间。",
	"New lobbies are opened again.":                                   "恢复开新房间。",
	"nothing has changed: %v":                                         "没有任何改变：%v",
	"The configuration and the maps have been read again.":            "已重新读取配置和地图。",
	"The host stops.":                                                 "主机停止。",
	"%d games run: exit nice waits for them, exit force ends them":    "有 %d 局进行中：exit nice 等它们结束，exit force 立即结束",
	"The host stops after the last of %d games; enable calls it off.": "主机将在最后一局（共 %d 局）结束后停止；用 enable 取消。",
}
