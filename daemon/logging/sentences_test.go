package logging

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

func TestSentences(t *testing.T) {
	long := strings.Repeat("many words ", 20)
	for _, tt := range []struct {
		line, want string // without the time
		all        bool
	}{
		{line: `{"level":"info","game":1,"map":"(2)EchoIsles.w3x","title":"Echo Isles","players":10,"fakes":0,"hcl":"","message":"game started, players are loading"}`, want: "#1 started: 10 players on Echo Isles"},
		{line: `{"level":"info","game":1,"map":"x.w3x","title":"11 players","players":1,"message":"game started, players are loading"}`, want: "#1 started: 1 player on 11 players"},
		{line: `{"level":"info","game":7,"after":"873.330119ms","message":"all have loaded"}`, want: "#7 all have loaded after 873ms"},
		{line: `{"level":"info","game":1,"player":"Ann","pid":2,"slot":1,"addr":"10.0.0.1:99","message":"player joined"}`, want: ""},
		{line: `{"level":"info","game":1,"player":"Ann","pid":2,"slot":1,"addr":"10.0.0.1:99","message":"player joined"}`, want: "#1 player joined  player=Ann  addr=10.0.0.1:99  slot=1  pid=2", all: true},
		{line: `{"level":"info","addr":"10.0.0.1:99","reason":"timeout","message":"connection closed before it joined"}`, want: ""},
		{line: `{"level":"info","part":"lan","addr":"10.0.0.1:99","message":"LAN announcements get out again"}`, want: "LAN announcements get out again  addr=10.0.0.1:99"},
		{line: `{"level":"warn","game":3,"player":"Ann","pid":2,"turn":9,"reason":"out queue overflow","message":"player dropped"}`, want: "warning: #3 Ann was dropped at turn 9: out queue overflow"},
		{line: `{"level":"error","zeta":1,"alpha":"","reason":"two words","error":"no space left","message":"it broke"}`, want: `error: it broke: no space left  reason="two words"  zeta=1`},
		{line: `{"level":"info","part":"database","step":1,"took":"2.444545ms","message":"database schema migrated"}`, want: ""},
		{line: `{"level":"info","took":"61.234567s","list":[],"message":"done\u001b[31m"}`, want: `done\u001b[31m  took=1m1s`},
		{line: `{"level":"info","message":"` + long + `"}`, want: strings.TrimRight(long[:88], " ") + "\n" + "          " + strings.TrimRight(long[88:176], " ") + "\n" + "          " + long[176:]},
		{line: `{"level":"info","message":"` + strings.Repeat("x", 100) + `"}`, want: strings.Repeat("x", 90) + "\n" + strings.Repeat(" ", 10) + strings.Repeat("x", 10)},
		{line: `{"level":"info","game":4,"name":"{map}{slots}","slots":"{name}","map":"secret.w3x","message":"lobby open"}`, want: `#4 lobby "{map}{slots}" is open: {name} slots, secret.w3x`},
		{line: "no JSON", want: "no JSON"},
	} {
		var out bytes.Buffer
		line := strings.Replace(tt.line, "{", `{"time":"2026-01-02T03:04:05.678Z",`, 1)
		n, err := sentenceWriter{out: &out, all: tt.all}.Write([]byte(line))
		if err != nil || n != len(line) {
			t.Errorf("%s: %d, %v", line, n, err)
		}
		got := strings.TrimSuffix(out.String(), "\n")
		if m := regexp.MustCompile(`^\d\d:\d\d:05  `).FindString(got); m != "" {
			got = got[len(m):]
		} else if got != "" && tt.line[0] == '{' {
			t.Errorf("no time: %q", got)
		}
		if got != tt.want {
			t.Errorf("%s\n%q, want\n%q", tt.line, got, tt.want)
		}
	}
}
