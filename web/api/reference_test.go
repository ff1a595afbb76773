package api

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestExtensionsHoldNoReference: a $ref inside an extension is not resolved by readers of the description, which report it as a fault.
func TestExtensionsHoldNoReference(t *testing.T) {
	text, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var description any
	if err := json.Unmarshal(text, &description); err != nil {
		t.Fatal(err)
	}
	extensions := 0
	var walk func(v any, path string, inside bool)
	walk = func(v any, path string, inside bool) {
		switch v := v.(type) {
		case map[string]any:
			for key, value := range v {
				if inside && key == "$ref" {
					t.Errorf("%s has a $ref", path)
				}
				extension := strings.HasPrefix(key, "x-")
				if extension {
					extensions++
				}
				walk(value, path+"/"+key, inside || extension)
			}
		case []any:
			for _, value := range v {
				walk(value, path, inside)
			}
		}
	}
	walk(description, "", false)
	if extensions == 0 {
		t.Error("the description has no extension")
	}
}
