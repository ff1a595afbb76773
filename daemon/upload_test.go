package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"w3host/formats/w3map/builtin"
	"w3host/internal/testkit"
)

// put brings a file as a role.
func (h *apiHost) put(role, name, match string, file io.Reader) (status int, text string) {
	h.t.Helper()
	r, err := http.NewRequest("PUT", h.url+"/api/v1/maps/"+url.PathEscape(name), file)
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+h.tokens[role])
	if match != "" {
		r.Header.Set("If-Match", match)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer answer.Body.Close()
	all, err := io.ReadAll(answer.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return answer.StatusCode, string(all)
}

// Maps come whole, once checked, under plain names only.
func TestUploads(t *testing.T) {
	t.Parallel()
	h := startAPI(t)
	_, built := builtin.Map()
	dir := h.config.Maps.Dir
	ofType := func(text string) string {
		var p struct{ Code string }
		_ = json.Unmarshal([]byte(text), &p)
		return p.Code
	}
	status, text := h.put("admin", "new map.w3x", "", bytes.NewReader(built))
	if status != http.StatusCreated || !strings.Contains(text, `"file":"new map.w3x"`) {
		t.Fatalf("a map: %d %s", status, text)
	}
	if _, _, list := h.ask("viewer", "GET", "/api/v1/maps", ""); !strings.Contains(list, "new map.w3x") {
		t.Errorf("it is not in the list: %s", list)
	}
	if status, _, text := h.ask("admin", "POST", "/api/v1/commands", `{"line":"host \"new map\""}`); status != 200 {
		t.Errorf("it cannot be hosted: %d %s", status, text)
	}
	var file struct{ Etag string }
	_, _, text = h.ask("viewer", "GET", "/api/v1/maps/new%20map.w3x", "")
	if err := json.Unmarshal([]byte(text), &file); err != nil || file.Etag == "" {
		t.Fatal(text)
	}
	bomb := bytes.Clone(built)
	at := bytes.LastIndex(bomb, []byte("MPQ\x1a"))
	for i := range 16 { // the header of the archive: claims of sizes beyond all bounds
		bomb[at+8+i] = 0xff
	}
	for _, c := range []struct {
		role, name, match string
		body              io.Reader
		status            int
		code              string
	}{
		{"viewer", "other.w3x", "", bytes.NewReader(built), 403, "forbidden"},
		{"moderator", "other.w3x", "", bytes.NewReader(built), 403, "forbidden"},
		{"admin", "new map.w3x", "", bytes.NewReader(built), 409, "exists"},
		{"admin", "NEW MAP.w3x", "*", bytes.NewReader(built), 409, "exists"},
		{"admin", "new map.w3x", `"1-1"`, bytes.NewReader(built), 412, "changed"},
		{"admin", "none.w3x", "*", bytes.NewReader(built), 412, "changed"},
		{"admin", "broken.w3x", "", strings.NewReader("no map"), 422, "not_a_map"},
		{"admin", "empty.w3x", "", strings.NewReader(""), 422, "not_a_map"},
		{"admin", "zip.w3x", "", strings.NewReader("PK\x03\x04" + strings.Repeat("\x00", 1<<16)), 422, "not_a_map"},
		{"admin", "bomb.w3x", "", bytes.NewReader(bomb), 422, "not_a_map"},
		{"admin", "new map.w3x", "*", strings.NewReader("no map"), 422, "not_a_map"},
		{"admin", "large.w3x", "", io.LimitReader(zeros{}, int64(h.config.Web.Upload)+1), 413, "too_large"},
		{"admin", "../up.w3x", "", bytes.NewReader(built), 422, "bad_name"},
		{"admin", "/etc/up.w3x", "", bytes.NewReader(built), 422, "bad_name"},
		{"admin", `C:\up.w3x`, "", bytes.NewReader(built), 422, "bad_name"},
		{"admin", "folder/up.w3x", "", bytes.NewReader(built), 422, "bad_name"},
		{"admin", ".hidden.w3x", "", bytes.NewReader(built), 422, "bad_name"},
		{"admin", "nul.w3x", "", bytes.NewReader(built), 422, "bad_name"},
		{"admin", "up.exe", "", bytes.NewReader(built), 422, "bad_name"},
		{"admin", "up\n.w3x", "", bytes.NewReader(built), 422, "bad_name"},
		{"admin", "up\u202exyz.w3x", "", bytes.NewReader(built), 422, "bad_name"},
		{"admin", "\xff.w3x", "", bytes.NewReader(built), 422, "bad_name"},
		{"admin", strings.Repeat("x", 200) + ".w3x", "", bytes.NewReader(built), 422, "bad_name"},
		{"admin", "new map.w3x", file.Etag, bytes.NewReader(built), 200, ""},
	} {
		if status, text := h.put(c.role, c.name, c.match, c.body); status != c.status || ofType(text) != c.code {
			t.Errorf("%.40q with If-Match %s as %s: %d %s", c.name, c.match, c.role, status, text)
		}
	}
	testkit.Eventually(t, "nothing else is in the folder", func() bool {
		files, err := os.ReadDir(dir)
		return err == nil && len(files) == 1 && files[0].Name() == "new map.w3x"
	})
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// One account sends one file at a time, all together two, and a line that breaks leaves nothing.
func TestUploadsAtOnce(t *testing.T) {
	t.Parallel()
	h := startAPI(t)
	_, built := builtin.Map()
	var broken []func(error)
	defer func() {
		for _, breaks := range broken {
			breaks(io.ErrUnexpectedEOF)
		}
	}()
	parts := func() int {
		files, _ := filepath.Glob(filepath.Join(h.config.Maps.Dir, uploadPrefix+"*"))
		return len(files)
	}
	ended := make(chan error, 2)
	for i, role := range []string{"admin", "root"} {
		file, half := io.Pipe()
		broken = append(broken, func(err error) { _ = half.CloseWithError(err) })
		r, _ := http.NewRequest("PUT", fmt.Sprintf("%s/api/v1/maps/%d.w3x", h.url, i), file)
		r.Header.Set("Authorization", "Bearer "+h.tokens[role])
		go func() { _, err := http.DefaultClient.Do(r); ended <- err }() // ends with the test
		_, _ = half.Write(built[:1000])
		testkit.Eventually(t, "it has come in part", func() bool { return parts() == i+1 })
		if i == 0 {
			if status, text := h.put(role, "more.w3x", "", bytes.NewReader(built)); status != 429 || !strings.Contains(text, "you are already uploading a map") {
				t.Errorf("one more of the same: %d %s", status, text)
			}
		}
	}
	h.tokens["third"] = h.token("third", "admin")
	if status, text := h.put("third", "more.w3x", "", bytes.NewReader(built)); status != 429 || !strings.Contains(text, "2 maps are being uploaded already") {
		t.Errorf("one more: %d %s", status, text)
	}
	for _, breaks := range broken {
		breaks(io.ErrUnexpectedEOF)
		<-ended
	}
	testkit.Eventually(t, "the parts are gone", func() bool { return parts() == 0 })
	testkit.Eventually(t, "there is a place again", func() bool {
		status, _ := h.put("third", "more.w3x", "", bytes.NewReader(built))
		return status == 201
	})
}

func FuzzMapFileNames(f *testing.F) {
	for _, name := range []string{"(2)EchoIsles.w3x", "../x.w3x", "x.w3x\x00", "aux.w3m", "…/x.w3x", ".w3x"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if goodMapFile(name) != nil {
			return
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Errorf("%q is no name of a file: %v", name, err)
		}
		if files, _ := os.ReadDir(dir); len(files) != 1 || files[0].Name() != name {
			t.Errorf("%q is elsewhere", name)
		}
	})
}

// All uploads together come at a pace that leaves the cores to the games.
func TestUploadsArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, pace := time.Now(), rate.NewLimiter(uploadRate, uploadBurst)
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if n, err := io.Copy(io.Discard, paced{t.Context(), io.LimitReader(zeros{}, 128<<20), pace}); n != 128<<20 || err != nil {
					t.Errorf("%d bytes, %v", n, err)
				}
			})
		}
		both.Wait()
		if took := time.Since(began); took < 7*time.Second || took > 9*time.Second {
			t.Errorf("256 MiB took %v", took)
		}
		ended, stop := context.WithCancel(t.Context())
		stop()
		if _, err := io.Copy(io.Discard, paced{ended, io.LimitReader(zeros{}, 128<<20), pace}); err == nil {
			t.Error("an upload that has ended goes on")
		}
	})
}
