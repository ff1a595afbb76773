package bots

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestOptions(t *testing.T) {
	good, err := Options{}.normal()
	if err != nil || good.Players != 10 || good.Addr != "127.0.0.1:6112" || good.Actions != 3 || good.Version != 26 {
		t.Errorf("defaults: %+v, %v", good, err)
	}
	for want, bad := range map[string]Options{
		`address "here": want host:port`:                             {Addr: "here"},
		"players 25: a game holds 1 to 24":                           {Players: 25},
		"games -1":                                                   {Games: -1},
		"with a game id only that one game":                          {GameID: 3, Games: 2},
		"action bytes 1028: want 23 to 1027":                         {ActionBytes: 1028},
		`name prefix "a-long-prefix-": with the bot's number a name`: {NamePrefix: "a-long-prefix-", Players: 10},
		"actions per second 2000":                                    {Actions: 2000},
		"load time -1s: want more than 0":                            {LoadTime: -time.Second},
		"a line every -1s: want 0 or more":                           {ChatEvery: -time.Second},
		"loops -1: want 1 or more":                                   {Loops: -1},
		"strangers -1: want 0 or more":                               {Strangers: -1},
		"a kill every 0s: want more than 0":                          {Kill: "pid"},
	} {
		if _, err := bad.normal(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Lines within this process count by both ends.
func TestConnections(t *testing.T) {
	proxies := func(_, seat int) Conduct {
		if seat == 0 {
			return Conduct{Proxy: &ProxyConduct{}}
		}
		return Conduct{}
	}
	for want, opts := range map[int]Options{
		20: {Games: 2},
		60: {Games: 2, RoundTrip: time.Second},
		40: {Games: 2, Realm: "127.0.0.1:6112"},
		24: {Games: 2, Conduct: proxies},
	} {
		o, err := opts.normal()
		if got := o.connections(); err != nil || got != want {
			t.Errorf("%d connections (%v), want %d", got, err, want)
		}
	}
}

func TestTooManyConnections(t *testing.T) {
	if err := needFiles(10); err != nil {
		t.Error(err)
	}
	if err := needFiles(math.MaxInt32); err == nil || !strings.Contains(err.Error(), "raise the hard limit") {
		t.Errorf("error %v", err)
	}
}
