package texts

import "maps"

// chinese returns the catalogue for simplified Chinese, keyed by the English formats. Its parts are in one file per
// area.
func chinese() map[string]string {
	all := make(map[string]string)
	for _, part := range []map[string]string{chineseLobby, chineseGame, chineseWords, chineseHost, chinesePeople, chineseHelp, chinesePlay, chineseWatch, chineseWeb, chineseSite} {
		maps.Copy(all, part)
	}
	return all
}

// chineseWords translates the names of things and kinds, which are parts of sentences.
var chineseWords = map[string]string{
	// who may use a command, and when
	"a player":                "玩家",
	"the owner or a stand-in": "房主或代理房主",
	"the owner":               "房主",
	"an admin":                "管理员",
	"root":                    "超级管理员",
	"a trusted player":        "受信任的玩家",
	"trusted":                 "受信任",
	"lobby":                   "房间",
	"game":                    "游戏中",
	"lobby and the game":      "房间和游戏中",

	// durations
	"%.1f seconds": "%.1f 秒",
	"%d days":      "%d 天",
	"%d hours":     "%d 小时",
	"%d minutes":   "%d 分钟",
	"%d seconds":   "%d 秒",

	// arguments
	"reason":                 "原因",
	"address":                "地址",
	"port":                   "端口",
	"password":               "密码",
	"player":                 "玩家",
	"name":                   "名称",
	"version":                "版本",
	"text":                   "文字",
	"command":                "命令",
	"map":                    "地图",
	"slot":                   "位置",
	"team":                   "队伍",
	"colour":                 "颜色",
	"race":                   "种族",
	"handicap":               "让分",
	"number of players":      "玩家数",
	"number of minutes":      "分钟数",
	"number of seconds":      "秒数",
	"number of milliseconds": "毫秒数",
	"number of turns":        "回合数",
	"number of games":        "游戏数",
	"number of the game":     "游戏编号",
	"number of the host":     "主机编号",

	// faults of commands
	"%v. Usage: %s":                                 "%v。用法：%s",
	"the command %s works only in the %v":           "命令 %s 只能在%v使用",
	"only %v can use %s":                            "只有%v可以使用 %s",
	"lobby #%d is not yours":                        "房间 #%d 不是你的",
	"there is no command %q":                        "没有命令 %q",
	"you cannot use any of the commands in %s here": "%s 组里没有你在这里可以用的命令",
	"Commands come in groups: %s. Type %shelp and a group, or a command.": "命令分为几组：%s。输入 %shelp 加组名或命令名即可查看。",
	"there is no command %q. Type %shelp for a list":                      "没有命令 %q：输入 %shelp 查看所有命令",
	"there is no command %q. Did you mean %s?":                            "没有命令 %q：你是想输入 %s 吗？",
	"%v. Example: %s": "%v。例如：%s",
	"the command %s needs a lobby or game: use eg <id> %s": "命令 %s 需要指定房间或游戏：请用 eg <id> %s",
	"the %v is missing":                              "缺少%v",
	"the %v must be a number from 1":                 "%v必须是从 1 开始的数字",
	"the %v must be from %d to %d":                   "%v必须在 %d 到 %d 之间",
	"the handicap must be 50, 60, 70, 80, 90 or 100": "让分必须是 50 到 100 之间的整十数",
	"%q is not a time such as 30m, 12h, 7d, 2 weeks or 1 month (a reason that begins with a number goes in quotes)": "%q 不是时间，时间例如 30m、12h、7d、2 weeks、1 month（以数字开头的原因请加引号）",
	"the longest time is 10 years; leave it out for a permanent ban":                                                "最长 10 年；不写时间则为永久封禁",
	"the closing quote is missing":                                 "缺少右引号",
	"%q is not one of %s":                                          "%q 不在可选项中：%s",
	"one of %s is missing":                                         "缺少参数，可选：%s",
	"%q is not a colour: use a number from 1, or %s":               "%q 不是颜色：请输入从 1 开始的数字，或 %s",
	"%q is not a race: use human, orc, undead, nightelf or random": "%q 不是种族：human、orc、undead、nightelf 或 random",
	"%q was not expected":                                          "%q 是多余的",
	"%q is not an option: use force or now":                        "%q 不是可用选项：请用 force 或 now",
	"%q is not a strength: use easy, normal or insane":             "%q 不是电脑难度：请用 easy、normal 或 insane",
	"no player matches %q":                                         "没有名字包含 %q 的玩家",
	"%v or %v":                                                     "%v 或 %v",
	"%q could be %v: type more of the name":                        "%q 可能是 %v：请多输入几个字符",

	// why a lag was
	"connection":   "网络连接",
	"computer":     "玩家电脑",
	"the host":     "主机",
	"unknown":      "原因不明",
	"host on time": "主机准时",
	"host %s late": "主机延迟 %s",

	// downloads
	"downloads are off":                       "地图下载已关闭",
	"an admin must allow the download":        "需要管理员允许下载",
	"nobody has allowed the download":         "没有人允许下载",
	"the client declined the download":        "客户端拒绝了下载",
	"the download took too long":              "下载时间过长",
	"no part was acknowledged for too long":   "地图下载长时间没有进展",
	"unknown flag in a map size report":       "地图大小报告中有未知标志",
	"claimed more bytes than the map has":     "报告的字节数超过了地图大小",
	"acknowledged bytes that were never sent": "确认了从未发送的数据",
	"acknowledged fewer bytes than before":    "下载进度倒退到已确认的数据之前",
	"spoke for another player":                "冒充了其他玩家",
	"acknowledged parts without a download":   "确认了没有发送的地图数据",
	"asked for the same parts too often":      "过于频繁地请求相同的数据",
	"started the download too often":          "过于频繁地重新下载",
	"address or network":                      "地址或网段",
}
