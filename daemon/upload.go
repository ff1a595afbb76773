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
	// mostUploads is how many files come at once, one of each account or token.
	mostUploads = 2
	// uploadRate is how many bytes of all uploads together are taken a second, uploadBurst at once: a fast line
	// would keep a core busy that games need.
	uploadRate, uploadBurst = 32 << 20, 1 << 20
	// uploadLeaves is the space on the disk, in bytes, that uploads leave free for records and replays.
	uploadLeaves = 1 << 30
	// uploadPrefix begins the name of a file that is not complete. The catalogue does not see
	// hidden files.
	uploadPrefix = ".upload-"
)

// Why a file does not come.
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

// uploads brings files into the maps folder. A file is written beside the maps, read as a map
// within the bounds of all maps, and only then gets its name.
type uploads struct {
	maps  *Maps
	most  int64 // bytes of one file
	audit func(storage.AdminAction)

	pace *rate.Limiter // bytes

	mu      sync.Mutex
	from    map[string]bool // who is sending one
	placing sync.Mutex      // one is read and named at a time, so that games keep their cores
	threads *background.Threads
}

// openUploads removes files that a killed host has left behind.
func openUploads(maps *Maps, most int64, audit func(storage.AdminAction)) *uploads {
	left, _ := filepath.Glob(filepath.Join(maps.dir(), uploadPrefix+"*"))
	for _, file := range left {
		_ = os.Remove(file)
	}
	return &uploads{maps: maps, most: most, audit: audit, pace: rate.NewLimiter(uploadRate, uploadBurst), from: make(map[string]bool), threads: background.New()}
}

// take receives a file, records that in the audit, and returns its entry in the catalogue.
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
	if _, err := u.maps.replaces(up); err != nil { // before the file comes
		return nil, false, err
	}
	temporary, err := u.write(r.Context(), up)
	if err != nil {
		return nil, false, err
	}
	defer os.Remove(temporary) // if it has not got its name
	u.placing.Lock()
	defer u.placing.Unlock()
	u.threads.Do(func() { err = u.maps.canHost(temporary, up.Name) })
	if err != nil {
		return nil, false, err
	}
	if !web.Still(r) {
		return nil, false, web.Refuse(noRight, "your right to do this has ended")
	}
	return u.maps.place(r.Context(), temporary, up)
}

// begin takes a place, of which there are few.
func (u *uploads) begin(who string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.from[who]:
		return web.Refuse(tooMany, "you are sending a map already: wait until it is here")
	case len(u.from) >= mostUploads:
		return web.Refuse(tooMany, "%d maps are coming already: try again later", mostUploads)
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
		return web.Refuse(tooLarge, "a map may have %d bytes here: web.upload_max sets that", u.most)
	}
	if size < 0 {
		size = u.most
	}
	if free, _, known := diskspace.Of(existingFolder(u.maps.dir())); known && free < uint64(size)+uploadLeaves {
		return web.Refuse(diskFull, "the disk of the maps folder is almost full: free some space there")
	}
	return nil
}

// existingFolder is dir, or where it will be made.
func existingFolder(dir string) string {
	if _, err := os.Stat(dir); err != nil {
		return filepath.Dir(dir)
	}
	return dir
}

// paced reads as fast as all uploads together may.
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

// write brings the file to the disk, under another name.
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

// disk is the answer when the folder cannot be written; only the log has its path.
func (u *uploads) disk(err error) error {
	u.maps.log.Warn().Err(err).Msg("a map cannot be received")
	return web.Refuse(noDisk, "the maps folder cannot be written; the log says why")
}

// reserved are names that Windows does not take for a file.
var reserved = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)

// maxMapFile is the length of a name in bytes, which the list of games has room for.
const maxMapFile = 100

// goodMapFile checks the name of a file that is to be made: a plain one, which every system
// takes and people can read.
func goodMapFile(name string) error {
	ext := strings.ToLower(path.Ext(name))
	switch {
	case ext != ".w3x" && ext != ".w3m":
		return web.Refuse(badName, "%q is not the name of a map: it must end with .w3x or .w3m", name)
	case strings.ContainsAny(name, `/\`):
		return web.Refuse(badName, "%q is a path: the name of a file is enough", name)
	case len(name) > maxMapFile:
		return web.Refuse(badName, "the name of the file is too long: %d bytes at most", maxMapFile)
	case w3map.Shown(name) != name, strings.ContainsAny(name, `:*?"<>|`), strings.HasPrefix(name, "."), strings.HasPrefix(name, "-"),
		strings.HasPrefix(name, " "), reserved.MatchString(name):
		return web.Refuse(badName, "%q cannot be the name of a file: rename it first", name)
	}
	return nil
}

func (s *Maps) dir() string { return s.current().Maps.Dir }

// replaces checks whether a file may come, and whether it takes the place of another.
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
		return false, web.Refuse(fileExists, "there is a map %s already, whose name differs in capitals only", e.File)
	case up.Replace == "":
		return false, web.Refuse(fileExists, "there is a map %s already: say that it is to be replaced", e.File)
	case up.Replace != "*" && up.Replace != e.Tag():
		return false, web.Refuse(otherFile, "%s has changed meanwhile: look at it again", e.File)
	}
	return true, nil
}

// File returns the catalogue's record of a file, in any spelling of capitals; nil: there is none.
func (s *Maps) File(file string) (*catalogue.MapFile, error) {
	all, err := s.Files()
	for _, e := range all {
		if strings.EqualFold(e.File, file) {
			return e, err
		}
	}
	return nil, err
}

// canHost reads a file as the map that it is going to be.
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

// place gives a file its name, and returns its entry in the catalogue.
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
