package builtin

import (
	"fmt"
	"strings"
	"testing"
)

// The script is a file of its own, with the same places as war3map.w3i.
func TestScriptHasTheNumbersOfTheField(t *testing.T) {
	must := []string{
		fmt.Sprintf("left = %d.0 ", edgeLeft), fmt.Sprintf("right = %d.0 ", edgeRight),
		fmt.Sprintf("bottom = %d.0 ", edgeBottom), fmt.Sprintf("top = %d.0 ", edgeTop),
		fmt.Sprintf("SetPlayers(%d)", players), fmt.Sprintf("if i != j and i / %d == j / %[1]d then", perForce),
	}
	for i := range players {
		x, y := start(i)
		must = append(must, fmt.Sprintf("DefineStartLocation(%d, %.1f, %.1f)\r\n", i, x, y))
	}
	for _, text := range must {
		if !strings.Contains(script(), text) {
			t.Errorf("the script has no %q", text)
		}
	}
}
