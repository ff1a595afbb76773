package texts

// chineseWatch translates the lines to viewers of a game.
var chineseWatch = map[string]string{
	"You do not have this map: put %s into your Maps folder first.": "您没有这张地图：请先将 %s 放入 Maps 文件夹。",
	"You are watching %s. Your actions do not affect the game.":     "您正在观看 %s。您的操作不会影响比赛。",
	"This game already has its maximum of %v.":                      "本局观众已满（%v）。",
	"%d spectators": "%d 名观众",
	"A player at your address is in this game, so you cannot watch it.": "与您同一地址的玩家正在这局游戏中：您会看到太多信息。",
	"It begins in %v.":                                      "将在 %v后开始。",
	"Your game came out differently at %s.":                 "您的游戏在 %s 处与原局不一致。",
	"The record of this game ends here, at %s.":             "本局录像到此结束（%s）。",
	"You are at %s of %s.":                                  "您在 %s，共 %s。",
	"You can say %sspeed 1 to %d, %sspeed max and %swhere.": "您可以输入 %sspeed 1 到 %d、%sspeed max 和 %swhere。",
	"As fast as your game can.":                             "以您的游戏能达到的最快速度播放。",
	"As fast as it was played.":                             "以原速播放。",
	"%d times as fast as it was played.":                    "以 %d 倍速播放。",
	"a speed is a number from 1 to %d, or max":              "速度是 1 到 %d 之间的数字，或 max",
}
