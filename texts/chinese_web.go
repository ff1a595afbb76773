package texts

// chineseWeb is what pages show.
var chineseWeb = map[string]string{
	// how lobbies, games and players stand
	"open":      "空位",
	"owner":     "房主",
	"starts":    "即将开始",
	"loading":   "载入中",
	"playing":   "游戏中",
	"lagging":   "卡顿",
	"desync":    "不同步",
	"over":      "已结束",
	"gone":      "已离开",
	"away":      "掉线",
	"ready":     "已准备",
	"private":   "私密",
	"all":       "所有人",
	"allies":    "盟友",
	"observers": "观看者",

	// what has happened
	"%s joined":                      "%s 加入了",
	"%s left":                        "%s 离开了",
	"%s left: %v":                    "%s 离开了：%v",
	"the game has started":           "游戏已开始",
	"%s has lost the connection: %s": "%s 的连接已断开：%s",
	"%s is back":                     "%s 回来了",
	"%s typed %s":                    "%s 输入了 %s",
	"%s typed %s: %s":                "%s 输入了 %s：%s",
	"over: %s":                       "已结束：%s",

	// what needs a hand
	"nobody has joined for %v":        "已有 %v 无人加入",
	"%s: %d turns behind, ping %s ms": "%s：落后 %d 回合，延迟 %s 毫秒",
	"the lag screen is up":            "卡顿画面已出现",
	"the database answers":            "数据库正常",
	"the database is away":            "数据库无法访问",
}
