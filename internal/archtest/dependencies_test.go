package archtest

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// docs/dependencies.md says of every module that go.mod requires by itself why
// it is there.
func TestDependenciesAreExplained(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../../docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	required := regexp.MustCompile(`(?m)^\t[^/\s]+/(\S+?)(?:/v\d+)? v\S+$`).FindAllStringSubmatch(string(mod), -1)
	if len(required) < 5 {
		t.Fatalf("only %d modules found in go.mod", len(required))
	}
	for _, module := range required {
		if !strings.Contains(string(doc), module[1]) {
			t.Errorf("docs/dependencies.md does not name %s", module[1])
		}
	}
}
