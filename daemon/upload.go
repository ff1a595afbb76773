package daemon

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"w3host/formats/catalogue"
	"w3host/formats/mapconf"
	"w3host/formats/w3map"
	"w3host/internal/background"
	"w3host/internal/diskspace"
	"w3host/storage"
	"w3host/web"
)

const (
	// mostUploads is the number of simultaneous uploads; each account or token may have one.
	mostUploads = 2
	// uploadRate is the limit for all uploads together in bytes per second, and uploadBurst the burst in bytes: a fast
	// connection would occupy a core that games need.
	uploadRate, uploadBurst = 32 << 20, 1 << 20
	// uploadLeaves is the disk space, in bytes, that uploads leave free for records and replays.
	uploadLeaves = 1 << 30
	// uploadPrefix is the prefix of incomplete files. The catalogue ignores hidden files.
	uploadPrefix = ".upload-"
)

// Reasons for refusing an upload.
var (
	noRight    = web.Kind{Status: http.StatusForbidden, Code: "forbidden"}
	tooMany    = web.Kind{Status: http.StatusTooManyRequests, Code: "too_many_uploads"}
	tooLarge   = web.Kind{Status: http.StatusRequestEntityTooLarge, Code: "too_large"}
	diskFull   = web.Kind{Status: http.StatusInsufficientStorage, Code: "disk_full"}
	incomplete = web.Kind{Status: http.StatusBadRequest, Code: "incomplete"}
	noDisk     = web.Kind{Status: http.StatusServiceUnavailable, Code: "disk"}
	badName    = web.Kind{Status: http.StatusUnprocessableEntity, Code: "bad_name"}
	otherFile  = web.Kind{Status: http.StatusPreconditionFailed, Code: "changed"}
	fileExists = web.Kind{Status: http.StatusConflict, Code: "exists"}
	notAMap    = web.Kind{Status: http.StatusUnprocessableEntity, Code: "not_a_map"}
)

// uploads receives files for the maps folder. A file is written under a temporary name, read as a map within the limits
// for all maps, and then renamed.
type uploads struct {
	maps  *Maps
	most  int64 // maximum size of a file in bytes
	audit func(storage.AdminAction)

	pace *rate.Limiter // in bytes

	mu      sync.Mutex
	from    map[string]bool // who is uploading
	placing sync.Mutex      // serializes reading and naming, so that games keep their cores
	threads *background.Threads
}

// openUploads removes files left behind by a crashed host.
func openUploads(maps *Maps, most int64, audit func(storage.AdminAction)) *uploads {
	left, _ := filepath.Glob(filepath.Join(maps.dir(), uploadPrefix+"*"))
	for _, file := range left {
		_ = os.Remove(file)
	}
	return &uploads{maps: maps, most: most, audit: audit, pace: rate.NewLimiter(uploadRate, uploadBurst), from: make(map[string]bool), threads: background.New()}
}

// take receives a file, records it in the audit log and returns its entry in the catalogue.
func (u *uploads) take(r *http.Request, up web.Upload) (e *catalogue.MapFile, replaced bool, err error) {
	from := web.Caller(r)
	e, replaced, err = u.receive(r, from.Via+":"+from.Name, up)
	done := storage.AdminAction{At: time.Now(), Who: from.Name, Via: from.Via, Action: "map upload", On: up.Name}
	if err != nil {
		done.Refused = err.Error()
	}
	u.audit(done)
	return e, replaced, err
}

func (u *uploads) receive(r *http.Request, who string, up web.Upload) (e *catalogue.MapFile, replaced bool, err error) {
	if err := cmp.Or(goodMapFile(up.Name), u.fits(up.Size)); err != nil {
		return nil, false, err
	}
	if err := u.begin(who); err != nil {
		return nil, false, err
	}
	defer u.end(who)
	if _, err := u.maps.replaces(up); err != nil { // before the file is transferred
		return nil, false, err
	}
	temporary, err := u.write(r.Context(), up)
	if err != nil {
		return nil, false, err
	}
	defer os.Remove(temporary) // has no effect after the rename
	u.placing.Lock()
	defer u.placing.Unlock()
	u.threads.Do(func() { err = u.maps.canHost(temporary, up.Name) })
	if err != nil {
		return nil, false, err
	}
	if !web.SessionValid(r) {
		return nil, false, web.Refuse(noRight, "you are no longer allowed to do this")
	}
	return u.maps.place(r.Context(), temporary, up)
}

// begin reserves one of the simultaneous uploads.
func (u *uploads) begin(who string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.from[who]:
		return web.Refuse(tooMany, "you are already uploading a map; wait until it is complete")
	case len(u.from) >= mostUploads:
		return web.Refuse(tooMany, "%d maps are being uploaded already; try again later", mostUploads)
	}
	u.from[who] = true
	return nil
}

func (u *uploads) end(who string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.from, who)
}

func (u *uploads) fits(size int64) error {
	if size > u.most {
		return web.Refuse(tooLarge, "the map is larger than %d bytes, the limit set by web.upload_max", u.most)
	}
	if size < 0 {
		size = u.most
	}
	if free, _, known := diskspace.Of(existingFolder(u.maps.dir())); known && free < uint64(size)+uploadLeaves {
		return web.Refuse(diskFull, "the disk of the maps folder is almost full; free some space")
	}
	return nil
}

// existingFolder returns dir, or its parent if dir does not exist.
func existingFolder(dir string) string {
	if _, err := os.Stat(dir); err != nil {
		return filepath.Dir(dir)
	}
	return dir
}

// paced is a reader limited to the rate of all uploads together.
type paced struct {
	ctx  context.Context
	from io.Reader
	pace *rate.Limiter
}

func (p paced) Read(into []byte) (int, error) {
	n, err := p.from.Read(into[:min(len(into), uploadBurst)])
	if n > 0 {
		if late := p.pace.WaitN(p.ctx, n); late != nil {
			return n, late
		}
	}
	return n, err
}

// write stores the file under a temporary name.
func (u *uploads) write(ctx context.Context, up web.Upload) (temporary string, err error) {
	if err := os.MkdirAll(u.maps.dir(), 0o755); err != nil {
		return "", u.disk(err)
	}
	f, err := os.CreateTemp(u.maps.dir(), uploadPrefix+"*")
	if err != nil {
		return "", u.disk(err)
	}
	n, received := io.Copy(f, io.LimitReader(paced{ctx, up.Body, u.pace}, u.most+1))
	err = errors.Join(f.Chmod(0o644), f.Sync(), f.Close())
	_, onDisk := errors.AsType[*os.PathError](received)
	switch {
	case onDisk:
		err = u.disk(received)
	case received != nil:
		err = web.Refuse(incomplete, "the file did not come whole: send it again")
	case n > u.most:
		err = u.fits(n)
	case err != nil:
		err = u.disk(err)
	default:
		return f.Name(), nil
	}
	_ = os.Remove(f.Name())
	return "", err
}

// disk returns the error for a folder that cannot be written. Only the log contains its path.
func (u *uploads) disk(err error) error {
	u.maps.log.Warn().Err(err).Msg("cannot receive a map")
	return web.Refuse(noDisk, "the maps folder cannot be written; see the host's log")
}

// reserved matches names that Windows does not allow for files.
var reserved = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)

// maxMapFile is the maximum length of a file name in bytes; the game list has room for it.
const maxMapFile = 100

// goodMapFile checks the name of a new file: it must be a plain name that is valid on every system and readable.
func goodMapFile(name string) error {
	ext := strings.ToLower(path.Ext(name))
	switch {
	case ext != ".w3x" && ext != ".w3m":
		return web.Refuse(badName, "%q is not the name of a map: it must end with .w3x or .w3m", name)
	case strings.ContainsAny(name, `/\`):
		return web.Refuse(badName, "%q is a path; give only the file name", name)
	case len(name) > maxMapFile:
		return web.Refuse(badName, "the file name is too long; the maximum is %d bytes", maxMapFile)
	case w3map.Shown(name) != name, strings.ContainsAny(name, `:*?"<>|`), strings.HasPrefix(name, "."), strings.HasPrefix(name, "-"),
		strings.HasPrefix(name, " "), reserved.MatchString(name):
		return web.Refuse(badName, "%q is not allowed as a file name; rename the file first", name)
	}
	return nil
}

func (s *Maps) dir() string { return s.current().Maps.Dir }

// replaces checks whether a file may be uploaded, and returns whether it replaces another one.
func (s *Maps) replaces(up web.Upload) (bool, error) {
	e, err := s.File(up.Name)
	switch {
	case err != nil:
		return false, err
	case e == nil && up.Replace != "":
		return false, web.Refuse(otherFile, "there is no map %s to replace", up.Name)
	case e == nil:
		return false, nil
	case e.File != up.Name:
		return false, web.Refuse(fileExists, "the map %s exists already; its name differs only in upper and lower case", e.File)
	case up.Replace == "":
		return false, web.Refuse(fileExists, "the map %s exists already; confirm that it should be replaced", e.File)
	case up.Replace != "*" && up.Replace != e.Tag():
		return false, web.Refuse(otherFile, "%s has changed meanwhile; check it again", e.File)
	}
	return true, nil
}

// File returns the catalogue's record of a file, ignoring case, or nil.
func (s *Maps) File(file string) (*catalogue.MapFile, error) {
	all, err := s.Files()
	for _, e := range all {
		if strings.EqualFold(e.File, file) {
			return e, err
		}
	}
	return nil, err
}

// canHost reads a file as a map to check that it can be hosted.
func (s *Maps) canHost(file, name string) error {
	f, info, err := mapconf.Open(file)
	if err == nil {
		defer f.Close()
		s.mu.Lock()
		v := s.config.Host.Version
		scripts := s.scriptsOf(v)
		s.mu.Unlock()
		_, err = w3map.Read(f, info.Size(), name, w3map.Options{Version: v, Scripts: scripts})
	}
	if err != nil {
		return web.Refuse(notAMap, "%s cannot be hosted: %v", name, err)
	}
	return nil
}

// place renames the file and returns its entry in the catalogue.
func (s *Maps) place(ctx context.Context, file string, up web.Upload) (*catalogue.MapFile, bool, error) {
	replaced, err := s.replaces(up)
	if err != nil {
		return nil, false, err
	}
	if err := os.Rename(file, filepath.Join(s.dir(), up.Name)); err != nil {
		return nil, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.scan(up.Name); err != nil {
		return nil, false, err
	}
	e, err := s.maps.Load().Add(ctx, up.Name)
	return e, replaced, err
}
