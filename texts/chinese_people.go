package texts

// chinesePeople translates the answers of the database about players, bans and admins.
var chinesePeople = map[string]string{
	"the database does not answer: try again later": "数据库没有响应：请稍后再试",

	"this host has no database":                     "这个主机没有数据库",
	"too many requests: try again in a few seconds": "请求太多：请过几秒再试",

	// login
	"You are logged in.": "你已登录。",
	"%v: wait %v":        "%v：请等待 %v",
	"the password is missing. Usage: login <password>":                                                               "缺少密码。用法：login <password>",
	"your realm has already confirmed your name: you do not need to log in":                                          "战网已确认你的名字，无需登录",
	"nobody else saw this line, because it may contain your password. Start with the trigger, then login <password>": "这一行可能含有你的密码，所以没有让别人看到。请先输入命令前缀，再输入 login <password>",
	"too many wrong passwords":                            "密码错误次数过多",
	"the password is wrong, or none is set for your name": "密码错误，或你的名字没有设置密码",
	"log in from the chat of a lobby or game on the LAN":  "请在局域网房间或游戏的聊天中登录",

	// statistics
	"%d games":                    "%d 局",
	"%d times":                    "%d 次",
	"%d points":                   "%d 分",
	"%s has not played here yet.": "%s 还没有在这里玩过。",
	"%s: %v, %d won, %d lost, %d drawn, left %d early, dropped %v, ping %.0f ms, last game %s.": "%s：共 %v，胜 %d，负 %d，平 %d，提前离开 %d 次，掉线 %v，延迟 %.0f 毫秒，最近一局 %s。",
	"%s has no rating on this map yet.":               "%s 在这张地图上还没有评分。",
	"the map is missing. Usage: top <map>":            "缺少地图。用法：top <map>",
	"%d. %s (%v)":                                     "%d. %s（%v）",
	"Nobody has played enough rated games on %s yet.": "还没有人在 %s 上打够计分游戏。",
	"The best on %s: %v.":                             "%s 最强的玩家：%v。",
	"%s has played %d of the %d rated games on %s after which a rating is shown.": "%[1]s 在 %[4]s 上打了 %[2]d 局计分游戏，满 %[3]d 局后显示评分。",
	"%s: place %d of %d on %s, %v (rated games: %d).":                             "%s：在 %[4]s 上排第 %[2]d 名（共 %[3]d 人），%[5]v（计分局数：%[6]d）。",
	"%s in %v of DotA, on average: %v.":                                           "%s 的 DotA 战绩（%v），平均：%v。",
	"%s has not played DotA here.":                                                "%s 没有在这里玩过 DotA。",
	"No other names were seen from %s's addresses.":                               "%s 的地址没有出现过其他名字。",
	"Also seen from %s's addresses: %s.":                                          "%s 的地址还出现过：%s。",

	// bans
	"%s is neither connected nor an address: type an address":                     "%s 不在这里，也不是地址：请输入地址",
	"%v covers a large part of the internet: use w3host ban add --yes to confirm": "%v 涵盖了互联网的很大一部分：如果确实要这样，请用 w3host ban add --yes",
	"%s is banned permanently.":                                                   "%s 已被永久封禁。",
	"%s is banned%v.":                                                             "%s 已被封禁%v。",
	"%s is already banned":                                                        "%s 已经被封禁",
	"%s is not banned. Type bans for a list":                                      "%s 没有被封禁：输入 bans 查看封禁列表",
	"No longer banned: %s.":                                                       "已解除封禁：%s。",
	"There are no bans.":                                                          "没有封禁。",
	"%d bans:":                                                                    "%d 条封禁：",
	"and %d older ones: w3host ban list shows all.":                               "另有 %d 条更早的：w3host ban list 可列出全部。",
	"%s is not banned.":                                                           "%s 没有被封禁。",
	"%s is banned by %s since %s%v.":                                              "%s 自 %[3]s 起被 %[2]s 封禁%[4]v。",
	"%s is banned by %s since %s%v: %s.":                                          "%s 自 %[3]s 起被 %[2]s 封禁%[4]v：%[5]s。",
	" until %s":                                                                   "，至 %s",

	// admins
	"admin":                "管理员",
	"Admins: %v.":          "管理员：%v。",
	"%s is not an admin.":  "%s 不是管理员。",
	"There are no admins.": "没有管理员。",
	"%s (%v)":              "%s（%v）",
	"everyone from %s":     "来自 %s 的所有人",
	"%v (%v)":              "%v（%v）",
	"%v from %s":           "%v，来自 %s",
	"%v after a login":     "%v，需登录",
	"%s is not an admin. Type admins for a list": "%s 不是管理员：输入 admins 查看列表",
	"Nobody is trusted.":                         "没有受信任的玩家。",
	"Trusted: %v.":                               "受信任：%v。",
	"%s is trusted already, or an admin":         "%s 已经受信任，或是管理员",
	"%s is now trusted.":                         "%s 现在受信任。",
	"%s is not trusted. Type trusted for a list": "%s 不受信任：输入 trusted 查看列表",
	"%s is no longer trusted.":                   "%s 不再受信任。",
	"%s is no longer an admin.":                  "%s 不再是管理员。",
	"%s is now an admin (%v).":                   "%s 现在是管理员（%v）。",
	"%s is already an admin (%v)":                "%s 已经是管理员（%v）",
	"%s covers a large part of the internet: use w3host admin add --yes to confirm": "%s 涵盖了互联网的很大一部分：如果确实要这样，请用 w3host admin add --yes",
	"%s is a network and needs no second one":                                       "%s 已经是网段，不需要第二个",
	"%q is not an address or a network: write it like 192.0.2.1 or 192.0.2.0/24":    "%q 不是地址也不是网段：请写成 192.0.2.1 或 192.0.2.0/24",

	// whom a player does not read
	"you already ignore %d players: use unignore first": "你已经屏蔽了 %d 名玩家：请先用 unignore 取消",
	"You will no longer see messages from %s.":          "你不再看到 %s 的发言。",
	"You will see messages from %s again.":              "你又能看到 %s 的发言了。",

	// warnings and notes
	"The note about %s is saved.":                "已记下关于 %s 的备注。",
	"%s is warned.":                              "%s 被警告。",
	"%s is warned (%d of %d before a ban).":      "%s 被警告：第 %d 次，满 %d 次将被封禁。",
	"%s is warned (%d of %d) and banned%v.":      "%s 被警告并封禁（第 %d 次，共 %d 次）%v。",
	"There are no warnings or notes about %s.":   "没有关于 %s 的警告或备注。",
	"%s, note by %s: %s":                         "%s，%s 的备注：%s",
	"%s, warned by %s: %s":                       "%s，%s 的警告：%s",
	"%s, warned by %s (no longer counts): %s":    "%s，%s 的警告（已失效）：%s",
	"%s has no warning that counts":              "%s 没有有效的警告",
	"The latest warning of %s no longer counts.": "%s 最近的一次警告已失效。",

	// the last game
	"%s played %s last, on %s, for %v.": "%s 最近一局是 %s，%s，时长 %v。",
	"Actions in a minute: %s.":          "每分钟操作：%s。",
	"Won: %s.":                          "胜：%s。",
	"Lost: %s.":                         "负：%s。",
	"Drew: %s.":                         "平：%s。",
	"No result: %s.":                    "没有结果：%s。",
}
