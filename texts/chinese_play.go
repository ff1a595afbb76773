package texts

// chinesePlay translates the lines of w3host lan play.
var chinesePlay = map[string]string{
	"Asking %s for its lobbies. Leave this window open while you play.":                   "正在向 %s 查询房间。游戏期间请不要关闭此窗口。",
	"%s does not list its lobbies: it does not run w3host, or an older one.":              "%s 不提供房间列表：它不是 w3host，或版本较旧。",
	"%s does not answer (%v). Trying again.":                                              "%s 没有响应（%v）。正在重试。",
	"%s does not list its lobbies: its operator has switched that off.":                   "%s 不提供房间列表：管理者已关闭此功能。",
	"%s has been asked too often from your address, or is very busy. Asking again in %v.": "%s 收到来自您地址的查询过多，或正忙。%v后再次查询。",
	"%s uses a newer protocol: get a newer w3host.":                                       "%s 使用更新的协议：请更新您的 w3host。",
	"No lobby is open at %s. New ones appear by themselves.":                              "%s 目前没有开放的房间。新房间会自动出现。",
	"%s answers. Open Warcraft III and choose Local Area Network.":                        "已连接 %s。请打开魔兽争霸 III 并选择“局域网”。",
	"%q is in the list of your game (version %s, places taken: %d).":                      "%q 已出现在您游戏的列表中（版本 %s，已占位置：%d）。",
	"%q has started or is closed.":                                                        "%q 已开始或已关闭。",
	"The host cannot be reached, so nobody has joined %q: %v.":                            "无法连接主机，未能加入 %q：%v。",
	"You are in %q.": "您已进入 %q。",
	"The connection to %q has ended: the game is over, or you can no longer get back in.":                      "与 %q 的连接已结束：游戏已结束，或无法重新连接。",
	"The connection to %q is lost. Leave the game open: w3host is reconnecting; the others wait for about %v.": "与 %q 的线路已中断。请不要关闭游戏：w3host 正在重新连接；其他玩家会等待约 %v。",
	"You are back in %q.": "您已回到 %q。",
	"%q has not let you in: it is full, or there are too many connections from your address.":                      "%q 未让您进入：房间已满，或来自您地址的连接过多。",
	"%q has not let you in: the game has started or is over.":                                                      "%q 未让您进入：游戏已开始或已结束。",
	"%q has not let you in: your list is out of date. Try once more.":                                              "%q 未让您进入：您的列表已过期。请再试一次。",
	"%q has not let you in: the name may be taken or not allowed, or you are banned, or you have tried too often.": "%q 未让您进入：名称可能已被占用或不允许，或您已被禁止，或尝试过于频繁。",
}
