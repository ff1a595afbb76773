package main

import (
	"reflect"
	"testing"
	"time"

	"w3host/config"
)

// TestKeysOfEntries: each key of [[autohost]] changes what the host is told of the
// entry.
func TestKeysOfEntries(t *testing.T) {
	base := config.Default()
	e := base.Entries()[0]
	before := hostEntry(base, &e)
	words := map[string]string{"Observers": "referees", "Rotation": "random", "Downloads": "off"}
	for i := range reflect.TypeOf(e).NumField() {
		e, name := e, reflect.TypeOf(e).Field(i).Name
		switch f := reflect.ValueOf(&e).Elem().Field(i); v := f.Interface().(type) {
		case bool:
			f.SetBool(!v)
		case int:
			f.SetInt(int64(v) + 2)
		case string:
			if f.SetString(words[name]); words[name] == "" {
				f.SetString("other")
			}
		case config.Duration:
			f.Set(reflect.ValueOf(v + config.Duration(20*time.Millisecond)))
		case config.ByteRate:
			f.SetInt(12345)
		case []string:
			f.Set(reflect.ValueOf([]string{"18:00-02:00"}))
		case []int:
			f.Set(reflect.ValueOf([]int{7}))
		default:
			t.Fatalf("%s is a %T, of which the test knows no other value", name, v)
		}
		if reflect.DeepEqual(hostEntry(base, &e), before) {
			t.Errorf("%s has no effect", name)
		}
	}
}
