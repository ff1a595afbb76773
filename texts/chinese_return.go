package texts

// chineseReturn translates the lines about players who come back into a running game with a new client.
var chineseReturn = map[string]string{
	"%s has lost the connection and may join again within %v. %cwait: the game stands still; %[3]cvotekick: for good.": "%s 掉线了，可在 %v内重新加入。%cwait：游戏暂停等待；%[3]cvotekick：永久踢出。",
	"%s has joined again and loads.": "%s 已重新加入，正在载入。",
	"%s is at %s of %s%v.":           "%s 已追赶到 %s / %s%v。",
	", about %v to go":               "，大约还需 %v",
	"You are shown %s of the game at full speed first. What you do counts after that.": "先以全速重放已进行的 %s，之后你的操作才算数。",

	"nobody is missing who may come back":                               "没有可以回来的掉线玩家",
	"only those who play decide whether the game stands still":          "只有参战的玩家才能决定是否暂停等待",
	"the game stands still already":                                     "游戏已经在暂停等待",
	"the game does not stand still":                                     "游戏没有在暂停等待",
	"%s wants the game to stand still: %d of %d needed. %cwait agrees.": "%s 希望暂停等待：已有 %d 票，需要 %d 票。输入 %cwait 表示同意。",
	"%s wants the game to go on: %d of %d needed. %cnowait agrees.":     "%s 希望继续游戏：已有 %d 票，需要 %d 票。输入 %cnowait 表示同意。",
	"The game stands still for up to %v. %cnowait: it goes on.":         "游戏最多暂停等待 %v。%cnowait：继续游戏。",

	"%s is not missing": "%s 没有掉线",

	"Whoever joins as %s within %v comes back as %[1]s.": "在 %[2]v内以 %[1]s 之名加入的人将作为 %[1]s 回到游戏。",

	"%s's place is kept for the address it was played from. Otherwise prove your name: on a realm by whispering the code you are shown, as an admin by %clogin. Or the game's owner types %[2]cletin %[1]s.": "%s 的位置只为原来的地址保留。否则请证明你的名字：在战网上密语所示的代码，管理员可用 %clogin；或者由房主输入 %[2]cletin %[1]s。",
	"Somebody at another address wants to come back as %s. %cletin %[1]s lets them in.":                                                                                                                      "有人想从另一个地址以 %s 的身份回来。%cletin %[1]s 可放其进入。",

	"%s is still connected: try again in %v.":                             "%s 仍在连接中：请在 %v后再试。",
	"%s has left for good at %s (%v).":                                    "%s 已在 %s 永久离开（%v）。",
	"%s has come back %v: no more.":                                       "%s 已经回来过 %v：不能再回来了。",
	"You have not shown in time that you are %s.":                         "你没有及时证明你是 %s。",
	"You have not caught up within %v.":                                   "你没有在 %v内追赶上。",
	"You lack the map of this game: join a lobby with it first.":          "你没有这局游戏的地图：请先加入一个使用该地图的房间。",
	"The record of this game is not whole: nobody can come back into it.": "这局游戏的记录不完整：无法再回到游戏中。",

	"have the game stand still for players who may join again; more than half must agree": "暂停游戏等待可以重新加入的玩家；须过半数同意",
	"have the game go on without waiting for players who may join again":                  "不再等待可以重新加入的玩家，继续游戏",
	"let whoever joins under a missing player's name come back as that player":            "让以掉线玩家之名加入的人作为该玩家回到游戏",

	"%s has left the game.": "%s 已离开游戏。",
	"This game goes on at %s of its record. First you are shown what was played, as fast as your game can.": "本局从记录的 %s 处继续。你会先以你的客户端能达到的最快速度看到之前的进程。",
	"That was what was played: what you do counts from here on.":                                            "以上就是之前的进程：从现在起你的操作才算数。",
	"The game goes on at %s when all have seen what was before. %cnowait: it goes on without waiting.":      "所有人看完之前的进程后，游戏将从 %s 继续。%cnowait：不再等待，立即继续。",
}
