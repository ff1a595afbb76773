package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"w3host/internal/testkit"
)

// openapi.json is what the types say.
func TestOpenAPI(t *testing.T) {
	to := describe(http.NewServeMux())
	(&api{}).routes(to)
	text, err := json.MarshalIndent(to.OpenAPI(), "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if text = append(text, '\n'); *testkit.Update {
		if err := os.WriteFile("openapi.json", text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if file, err := os.ReadFile("openapi.json"); err != nil || !bytes.Equal(file, text) {
		t.Errorf("openapi.json is not what the types say (%v): go test ./web/api -update", err)
	}
}

// Tools resolve a $ref only where the standard has one, which is not in an extension.
func TestExtensionsHaveNoReferences(t *testing.T) {
	text, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var file any
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	var look func(at string, v any, extension bool)
	look = func(at string, v any, extension bool) {
		switch v := v.(type) {
		case map[string]any:
			if _, ref := v["$ref"]; ref && extension {
				t.Errorf("%s has a $ref", at)
			}
			for key, below := range v {
				look(at+"/"+key, below, extension || strings.HasPrefix(key, "x-"))
			}
		case []any:
			for _, below := range v {
				look(at, below, extension)
			}
		}
	}
	look("", file, false)
}
