package takeover

import (
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDiagram compares the picture in docs/survival.md with the table.
func TestDiagram(t *testing.T) {
	doc, err := os.ReadFile("../../docs/survival.md")
	if err != nil {
		t.Fatal(err)
	}
	states, events := map[string]State{}, map[string]Event{}
	for s := Inherited; s <= Forgotten; s++ {
		states[s.String()] = s
	}
	for e := Began; e <= Adopted; e++ {
		events[e.String()] = e
	}
	drawn := map[State]map[Event]State{}
	for s := Inherited; s <= Staying; s++ {
		drawn[s] = map[Event]State{Freed: Claimed, Over: Ended, Stopped: Forgotten} // the note
	}
	_, diagram, _ := strings.Cut(string(doc), "[*] --> Inherited")
	diagram, _, _ = strings.Cut(diagram, "```")
	for _, arrow := range regexp.MustCompile(`(?m)^    (\w+) --> (\w+): (.*)$`).FindAllStringSubmatch(diagram, -1) {
		from, to := states[arrow[1]], states[arrow[2]]
		if from.String() != arrow[1] || to.String() != arrow[2] {
			t.Fatalf("there are no states %q", arrow[1:3])
		}
		for name := range strings.SplitSeq(arrow[3], ", ") {
			e, ok := events[name]
			if !ok {
				t.Fatalf("there is no event %q", name)
			}
			if drawn[from] == nil {
				drawn[from] = map[Event]State{}
			}
			drawn[from][e] = to
		}
	}
	for s := Inherited; s <= Forgotten; s++ {
		if !maps.Equal(drawn[s], table[s]) {
			t.Errorf("from %v the picture has %v, and the table %v", s, drawn[s], table[s])
		}
	}
}
