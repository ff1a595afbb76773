package storage

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
)

// mistyped are URLs as people mistype them. The password is always hunter2, or
// has it inside.
var mistyped = []string{
	"postgres//user:hunter2@host/db",
	"postgres:/user:hunter2@host/db",
	"postgres:user:hunter2@host/db",
	"postgres;//user:hunter2@host/db",
	"postgres ://user:hunter2@host/db",
	"postgers://user:hunter2@host/db",
	"Postgres://user:hunter2@host/db",
	"//user:hunter2@host/db",
	"user:hunter2@host/db",
	"hunter2@host/db",
	"hunter2:user@host/db",
	"postgres://user@hunter2@host/db",
	"postgres://user@hunter2@host:5432/db?sslmode=disable",
	"postgres://user:pa/hunter2@host/db",
	"postgres://user:pa?hunter2@host/db",
	"postgres://user:pa#hunter2@host/db",
	"postgres://user:12/hunter2@host/db",
	"postgres://user:hunter2host/db",
	"postgres://user:hunter2",
	"postgres://user:hunter2%zz@host/db",
	"postgres://user:hunter2 @host/db",
	"postgres://user:hunter2@host:port/db",
	"postgres://user:hunter2@host/db?sslmode=maybe",
	"postgres://user:x@host/db?sslmode=hunter2",
	"postgres://user:hunter2@[host/db",
	"postgres://user:hunter2@host/db\x7f",
	"user=bob:hunter2 host=h",
	"user=bob password=a hunter2 host=h",
	"user=bob password='hunter2 host=h",
	"user=bob pass word=hunter2",
	"host=bob:hunter2@h",
	"host=bob:hunter2 dbname=x",
	"dbname=bob:hunter2@h",
	"host=h password=hunter2 sslmode=maybe",
	"host=h port=hunter2",
	"password=hunter2 = x",
	"sqlite://user:hunter2@host/db",
	"sqlite:user:hunter2@host/db",
	"sqlite:///user:hunter2@host/db",
	"sqlite//user:hunter2@host/db",
	"mysql://user:hunter2@host/db",
	"file:user:hunter2@host",
	"W3HOST=postgres://user:hunter2@host/db",
	`"postgres://user:hunter2@host/db"`,
	"jdbc:postgresql://host/db?user=bob&password=hunter2",
}

// No error shows a password, and no folder is named after one.
func TestNoPasswordInErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	for i, text := range slices.Concat(mistyped, mistyped) {
		db, err := Open(t.Context(), text, Options{MustExist: i >= len(mistyped)})
		if err == nil {
			t.Errorf("%q is taken for a good one", text)
			_ = db.Close()
			continue
		}
		if !errors.Is(err, ErrBadURL) || strings.Contains(fmt.Sprint(err), "hunter2") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// Whatever stands around the password, it is not in the error.
func FuzzNoPasswordInErrors(f *testing.F) {
	for _, text := range mistyped {
		before, after, _ := strings.Cut(text, "hunter2")
		f.Add(before, after)
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		text := before + "hunter2" + after
		err := CheckURL(text)
		if err == nil || !strings.Contains(err.Error(), "hunter2") {
			return
		}
		if u, e := url.Parse(text); e == nil && (u.Scheme == "" && plainFile.MatchString(text)) {
			return // the name of a file
		}
		t.Errorf("%q: %v", text, err)
	})
}
