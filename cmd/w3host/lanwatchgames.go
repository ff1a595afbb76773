package main

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"w3host/formats/mapconf"
	"w3host/formats/replay"
	"w3host/formats/w3map"
	"w3host/formats/w3map/builtin"
	"w3host/host/watch"
	"w3host/lan"
	"w3host/protocol/w3gs"
	"w3host/record/recording"
	"w3host/spectate"
)

// recorded is a recorded or running game that viewers can join.
type recorded struct {
	show watch.Show
	seat string // name of the player whose seat viewers get
	ad   lan.Advert
}

// read reads the start of a recording, chooses the viewers' seat and loads the map.
func (c *watchCall) read(name string) (*recorded, error) {
	version := c.version
	r, err := watch.Start(name)
	if err != nil {
		return nil, err
	}
	if own, err := w3gs.ParseVersion(r.Version.String()); err != nil || own != version {
		return nil, fmt.Errorf("the recording is of version %v, but %v is shown; see --version", r.Version, version)
	}
	pid, seat, err := c.chooseSeat(name, &r.Start)
	if err != nil {
		return nil, err
	}
	m, err := c.findMap(r)
	if err != nil {
		return nil, err
	}
	s := &r.Start.Settings
	check := w3gs.MapCheck{Path: version.MapPath(s.MapPath), Size: m.Size, CRC32: m.CRC32, Checksum: s.Checksum}
	if check.SHA1, check.HasSHA1 = s.SHA1(r.Program); !check.HasSHA1 && version.HasSHA1() {
		check.SHA1, check.HasSHA1 = m.SHA1, true
	}
	var key [4]byte
	if version.HasEntryKey() {
		_, _ = rand.Read(key[:]) // never returns an error
	}
	title := either(recording.IsPart(name), "[watch] "+r.Start.GameName, "Replay "+strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)))
	return &recorded{
		show: watch.Show{
			Number: c.last.Add(1), Key: binary.LittleEndian.Uint32(key[:]), Version: version, File: name, Delay: c.delay,
			Tape: func(r *replay.Reader) (*spectate.Recording, error) {
				return spectate.NewRecording(r, pid, version, check)
			},
		},
		seat: seat,
		ad: lan.Advert{
			Name: title, Type: w3gs.GameType(r.Start.GameType),
			Stat: w3gs.StatString{
				Settings: s.Flags, Width: s.Width, Height: s.Height, Checksum: s.Checksum, MapPath: s.MapPath, HostName: s.HostName,
				SHA1: check.SHA1, HasSHA1: check.HasSHA1,
			},
			Count: lan.Count{Slots: min(len(r.Start.Slots)+1, version.Slots()), Open: 1},
		},
	}, nil
}

// findMap loads the map of a recording.
func (c *watchCall) findMap(r *replay.Reader) (*w3map.Map, error) {
	path := strings.ReplaceAll(r.Start.Settings.MapPath, `\`, "/")
	base := path[strings.LastIndex(path, "/")+1:]
	cfg, _ := readConfig("") // faults of the host's configuration do not matter here
	file := c.mapFile
	if file == "" {
		file = findBelow(cfg.Maps.Dir, base)
	}
	var data io.ReaderAt
	var size int64
	if name, content := builtin.Map(); file == "" && strings.EqualFold(name, base) {
		data, size, file = bytes.NewReader(content), int64(len(content)), name
	} else if file == "" {
		return nil, fmt.Errorf("its map %s is not in %s; use --map FILE", base, cfg.Maps.Dir)
	} else {
		f, info, err := mapconf.Open(file)
		if err != nil {
			return nil, plainError(err)
		}
		defer f.Close()
		data, size = f, info.Size()
	}
	scripts, _, _ := mapconf.FindScripts(cfg.Maps.Scripts, c.version) // without scripts the checksum is not compared
	m, err := mapconf.Read(data, size, file, w3map.Options{Version: c.version, Scripts: scripts})
	if err != nil {
		return nil, err
	}
	if want := r.Start.Settings.Checksum; m.MissingScripts() == "" && m.Checksum != want {
		return nil, fmt.Errorf("%s is another version of the map: its checksum is %08x, but the game used %08x", w3map.Shown(file), m.Checksum, want)
	}
	return m, nil
}

// findBelow returns the path of a file in dir or its sub-folders by name, ignoring case, or "".
func findBelow(dir, name string) (found string) {
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.EqualFold(d.Name(), name) {
			found = path
			return filepath.SkipAll
		}
		return nil
	})
	return found
}

// asleep is the age of the last write at which a recording counts as ended. A paused game is still written at least once
// a minute.
const asleep = 3 * time.Minute

// folder is a folder in which a host records its games.
type folder struct {
	dir   string
	games map[string]*recorded // by file name; nil if the game cannot be watched
}

// scan returns the games that have started and ended since the last scan.
func (f *folder) scan(now time.Time) (opened []string, closed []*recorded) {
	live := map[string]bool{}
	entries, _ := os.ReadDir(f.dir) // an unreadable folder counts as empty
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !recording.IsPart(e.Name()) || now.Sub(info.ModTime()) >= asleep {
			continue
		}
		name := filepath.Join(f.dir, e.Name())
		live[name] = true
		if _, known := f.games[name]; !known {
			f.games[name] = nil
			opened = append(opened, name)
		}
	}
	for name, g := range f.games {
		if live[name] {
			continue
		}
		if delete(f.games, name); g != nil {
			closed = append(closed, g)
		}
	}
	return opened, closed
}
