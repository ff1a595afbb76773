package storage_test

import (
	"fmt"
	"testing"
	"time"

	"w3host/storage"
)

// kept is a recorder that keeps what it gets.
type kept struct{ records []storage.Record }

func (k *kept) Record(r storage.Record) { k.records = append(k.records, r) }

// A caller who floods the audit log fills a minute's share of it, and says so; what
// others do, and what is no audit, is recorded beside it.
func TestLimitAudit(t *testing.T) {
	k := &kept{}
	l := storage.LimitAudit(k)
	now := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
	flood := func(who, via string, n int) {
		for range n {
			l.Record(storage.AdminAction{At: now, Who: who, Via: via, Action: "login", Refused: "wrong"})
		}
	}
	of := func(who string) (n int, last storage.AdminAction) {
		for _, r := range k.records {
			if a, ok := r.(storage.AdminAction); ok && a.Who == who {
				n, last = n+1, a
			}
		}
		return n, last
	}
	flood("Mallory", "lobby", 12_000)
	flood("Ann", "lobby", 1)
	flood("root", "control", 500)
	for range 100 {
		l.Record(storage.ChatLine{})
	}
	if n, last := of("Mallory"); n != 31 || last.Refused != "more lines of this caller within a minute are not recorded" {
		t.Errorf("%d lines of the flood, the last %+v", n, last)
	}
	if n, _ := of("Ann"); n != 1 {
		t.Errorf("%d lines of somebody else", n)
	}
	if n, _ := of("root"); n != 500 || len(k.records) != 31+1+500+100 {
		t.Errorf("%d lines of root, %d records", n, len(k.records))
	}
	now = now.Add(time.Minute)
	flood("Mallory", "game", 100)
	if n, _ := of("Mallory"); n != 62 {
		t.Errorf("%d lines after two minutes", n)
	}
	k.records = nil
	now = now.Add(time.Minute)
	for i := range 20_000 {
		flood(fmt.Sprint("Name", i), "lobby", 1)
	}
	if n := len(k.records); n != 1024+31 {
		t.Errorf("%d lines of 20,000 names", n)
	}
	l.Record(storage.AdminAction{At: now, Who: "Root", Via: "lobby", Action: "ban"})
	if n, last := of("Root"); n != 1 || last.Action != "ban" || last.Refused != "" {
		t.Errorf("refused lines of other names displaced that of an admin: %d, %+v", n, last)
	}
}
