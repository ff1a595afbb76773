package daemon

import (
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"w3host/config"
)

// TestKeysOfEntries: each key of [[autohost]] changes what the host is told of the
// entry.
func TestKeysOfEntries(t *testing.T) {
	entry := func(text string) any {
		c, err := configOf(t, "[watch]\nenabled = true\n[[autohost]]\n"+text+"\n")
		if err != nil {
			return err
		}
		return hostEntry(&c.Entries()[0], "v1")
	}
	words := map[string]string{
		"observers": `"referees"`, "rotation": `"random"`, "downloads": `"off"`, "hours": `["18:00-02:00"]`,
		"countdown_restarts": "false", "name": `"other"`, "map": `"other"`, "hcl": `"other"`, "owner": `"other"`,
	}
	before := entry("")
	for _, key := range entryKeys() {
		var got any = before
		for _, value := range []string{words[key], "true", "3", `"45s"`, `"1 MB"`, `["other"]`, "[7]"} {
			if value == "" {
				continue
			}
			if got = entry(fmt.Sprintf("%s = %s", key, value)); reflect.TypeOf(got) == reflect.TypeOf(before) {
				break
			}
		}
		if err, wrong := got.(error); wrong || reflect.DeepEqual(got, before) {
			t.Errorf("%s has no effect: %v", key, err)
		}
	}
}

// configOf is the configuration of a file with this text.
func configOf(t *testing.T, text string) (config.Config, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.toml")
	write(t, file, []byte(text))
	return config.Load(file, nil)
}

// entryKeys are all keys of an [[autohost]].
func entryKeys() (keys []string) {
	entry := reflect.TypeFor[config.Entry]()
	for field := range entry.Fields() {
		if !field.Anonymous {
			keys = append(keys, field.Tag.Get("toml"))
		}
	}
	for _, section := range reflect.VisibleFields(reflect.TypeFor[config.Config]()) {
		for i := 0; section.Type.Kind() == reflect.Struct && i < section.Type.NumField(); i++ {
			if key := section.Type.Field(i).Tag.Get("entry"); key != "" {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// A reload applies the description of the community, but not whose names are shown, which the ladders depend on.
func TestReloadOfPublicKeys(t *testing.T) {
	for key, want := range map[string]bool{"public.name": true, "public.url": true, "public.play_address": true, "public.index": true, "public.lan": false} {
		if got := live(key); got != want {
			t.Errorf("%s: %v", key, got)
		}
	}
}
