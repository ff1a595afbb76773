package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The example shows every key of [[webhook]], with its default.
func TestWebhookExample(t *testing.T) {
	checkExample(t, webhookSection, func(c *Config) Webhook { return c.Webhooks[0] }, func(w *Webhook) {
		w.URL, w.Events, w.Entries = "https://example.org/w3host", []string{}, []string{}
	})
}

// Faults name what to write, and show neither URL nor secret.
func TestWebhookFaults(t *testing.T) {
	good := "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	for text, want := range map[string]string{
		"[[webhook]]\nurl = \"https://x/hidden\"\nsecret = \"" + good + "\"":                     "",
		"[[webhook]]\nurl = \"https://x/hidden\"\nformat = \"discord\"":                          "",
		"[[webhook]]\nurl = \"x/hidden\"\nsecret = \"" + good + "\"":                             "webhook 1: url = (not shown, it may hold a password): must begin with https://",
		"[[webhook]]\nurl = \"https://x/hidden\"":                                                "webhook 1: secret = \"\": is missing: by it the site knows the sender; echo whsec_$(openssl",
		"[[webhook]]\nurl = \"https://x/hidden\"\nsecret = \"hidden\"":                           "must be whsec_ and 24 bytes or more in Base64",
		"[[webhook]]\nurl = \"https://x/hidden\"\nformat = \"xml\"\nsecret = \"" + good + "\"":   "format",
		"[[webhook]]\nurl = \"https://x/hidden\"\nsecret = \"" + good + "\"\nentries = [\"no\"]": `entries = "no": is no entry of autohost: they are ["w3host game"]`,
		"[[webhook]]\nurl = [\"hidden\"]":                                                        "webhook.url",
		"[webhook]\nurl = \"hidden\"":                                                            "write [[webhook]], in two brackets",
		"[[webhook]]\nevent = []":                                                                `unknown key "event" in [[webhook]] 1; did you mean "events"?`,
	} {
		_, err := load(t, text)
		switch {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %s", text, err, want)
		case err != nil && strings.Contains(err.Error(), "hidden"):
			t.Errorf("a secret is shown: %v", err)
		}
	}
}

// A file holds the address, and another the key; a file that cannot be read, and a value beside one, are faults.
func TestWebhookFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const url, secret = "https://x/hidden", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	urlFile, secretFile := file("url", url+"\n"), file("secret", secret+"\n")
	c, err := load(t, fmt.Sprintf("[[webhook]]\nurl_file = %q\nsecret_file = %q", urlFile, secretFile))
	if err != nil {
		t.Fatal(err)
	}
	if w := &c.Webhooks[0]; w.URL != url || w.Secret != secret {
		t.Errorf("read %q and %q", string(w.URL), string(w.Secret))
	}
	for text, want := range map[string]string{
		fmt.Sprintf("[[webhook]]\nurl = %q\nurl_file = %q\nsecret_file = %q", url, urlFile, secretFile): "webhook 1: url and url_file are both set",
		fmt.Sprintf("[[webhook]]\nurl_file = %q\nsecret_file = %q", urlFile, dir+"/none"):               "webhook 1: secret_file: open " + dir + "/none",
	} {
		if _, err := load(t, text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
