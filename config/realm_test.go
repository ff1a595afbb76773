package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

const realmText = `
[[realm]]
name = "My Home"
address = "127.0.0.1:6112"
account = "bot"
password = "Hunter2"
game_version = 27
[[realm]]
name = "my home"
address = "127.0.0.1:6112"
account = "bot2"
`

func TestRealms(t *testing.T) {
	c, err := Load(write(t, realmText), []string{"W3HOST_REALM_MY_HOME_PASSWORD=Other3"})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	if len(c.Realms) != 2 || c.Realms[0].Password != "Other3" || c.Realms[1].Password != "Other3" ||
		c.Realms[0].GameVersion != 27 || c.Realms[1].Locale != "enUS" || c.RealmVersion(&c.Realms[1]) != 26 {
		t.Errorf("got %+v", c.Realms)
	}
	for _, format := range []string{"%v", "%+v", "%#v"} {
		if strings.Contains(fmt.Sprintf(format, c), "Other3") {
			t.Errorf("%s shows the password", format)
		}
	}
}

func TestRealmPasswordFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("Hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(write(t, fmt.Sprintf("[[realm]]\nname = \"a\"\npassword_file = %q\n", file)), nil)
	if err != nil || c.Realms[0].Password != "Hunter2" {
		t.Error(c.Realms, err)
	}
}

func TestRealmFaults(t *testing.T) {
	_, err := Load(write(t, "[[realm]]\nnmae = \"x\"\npassword = 12345\nlobbies = \"many\"\n"), []string{"W3HOST_REALM_X_PASSWORD=Hunter2"})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{`unknown key "nmae" in [[realm]] 1; did you mean "name"?`, "realm.password = (not shown)", "realm.lobbies", "W3HOST_REALM_X_PASSWORD names no [[realm]]"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("missing %q in:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "12345") || strings.Contains(err.Error(), "Hunter2") {
		t.Errorf("the password shows: %v", err)
	}
	if _, err := Load(write(t, "[realm]\nname = \"x\"\n"), nil); err == nil || !strings.Contains(err.Error(), "[[realm]]") {
		t.Error(err)
	}
	c, err := Load(write(t, realmText+"[[realm]]\nname = \"My Home\"\naddress = \"x:1\"\naccount = \"b\"\nbind = \"y\"\nadvertise_port = 80\ngame_version = 31\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Realms[1].Account = "BOT"
	err = c.Validate()
	for _, want := range []string{"W3HOST_REALM_MY_HOME_PASSWORD", "account", "bind", "advertise_port", "game_version = 1.31: realms know 1.24 to 1.28", "differs from", "is used twice"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("missing %q in:\n%v", want, err)
		}
	}
}

// The example shows every key of [[realm]], with its default.
func TestRealmExample(t *testing.T) {
	checkExample(t, realmSection, func(c *Config) Realm { return c.Realms[0] }, func(r *Realm) {
		r.Name, r.Address, r.Account = "home", "realm.example.org:6112", "w3host"
	})
}

// checkExample checks that the example of a list's section shows every key with its default,
// except those that differ sets.
func checkExample[T any](t *testing.T, name string, first func(*Config) T, differ func(*T)) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "config.toml.example"))
	if err != nil {
		t.Fatal(err)
	}
	heading := "[[" + name + "]]"
	_, section, _ := strings.Cut(string(text), "# "+heading)
	section, _, _ = strings.Cut(section, "\n\n")
	section = regexp.MustCompile(`(?m)^# (\w+ = )`).ReplaceAllString(section, "$1")
	c, err := Load(write(t, heading+"\n"+section), nil)
	if err != nil {
		t.Fatal(err)
	}
	var want T
	setDefaults(reflect.ValueOf(&want).Elem())
	differ(&want)
	if got := first(&c); !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v, want %#v", got, want)
	}
	for key := range fieldsOf(reflect.ValueOf(want), "toml") {
		if !strings.Contains(section, "\n"+key+" = ") {
			t.Errorf("%s is not shown", key)
		}
	}
}
