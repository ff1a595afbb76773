package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
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
