package w3gs

import "testing"

var leaveGoldens = []golden{
	{name: "PlayerLeave", dir: FromHost, want: &PlayerLeave{PID: 5, Reason: LeaveLobby}},
	{name: "GameOver", dir: FromHost, want: &GameOver{PID: 1}},
	{name: "LeaveAck", dir: FromHost, want: &LeaveAck{}},
	{name: "KickPlayer", dir: FromHost, want: &KickPlayer{Reason: LeaveLost}},
	{name: "LeaveGame", dir: FromClient, want: &LeaveGame{Reason: LeaveGProxyFailed}},
}

// The numbers are the protocol's; the words are what players and logs read.
func TestLeaveReason(t *testing.T) {
	for n, want := range map[uint32]string{
		1: "disconnected", 7: "lost", 8: "lost all buildings", 9: "won", 10: "draw", 11: "left as observer",
		12: "invalid saved game", 13: "left the lobby", 100: "reconnection failed", 77: "reason 77",
	} {
		if got := LeaveReason(n).String(); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}
