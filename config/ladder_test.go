package config

import (
	"strings"
	"testing"
	"time"
)

// Seasons are spans of days, in their order; slugs can stand in addresses.
func TestLadders(t *testing.T) {
	c, err := Load(write(t, `
[public]
lan = true
[[ladder]]
name = "Melee 1v1!"
maps = ["Echo Isles"]
lan = true
carry_over = 50
seasons = ["2026-07-01 to 2026-09-30", "2026-10-01 to 2026-12-31"]
`), nil)
	if err == nil {
		err = c.Validate()
	}
	if err != nil {
		t.Fatal(err)
	}
	spans, err := c.Ladders[0].Spans()
	want := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	if err != nil || len(spans) != 2 || !spans[0].End.Equal(want) || !spans[1].Begin.Equal(want) || c.Ladders[0].Path() != "melee-1v1" {
		t.Errorf("%q %+v %v", c.Ladders[0].Path(), spans, err)
	}
	for ladder, fault := range map[string]string{
		`name = "中文"`:                        "ladder 1: slug",
		"name = 'a'\nslug = 'A b'":           "small letters",
		"name = 'a'\nlan = true":             "public.lan",
		"name = 'a'\ncarry_over = 101":       "from 0 to 100",
		"name = 'a'\nseasons = ['2026']":     "the first and the last day",
		"name = 'a'\n[[ladder]]\nname = 'A'": "the same",
		"name = 'a'\nseason = 1":             "did you mean",
		"name = 'a'\nseasons = ['2026-10-01 to 2026-12-31', '2026-12-31 to 2027-01-31']": "has ended",
	} {
		c, err := Load(write(t, "[[ladder]]\n"+ladder+"\n"), nil)
		if err == nil {
			err = c.Validate()
		}
		if err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("%s: %v", ladder, err)
		}
	}
}
