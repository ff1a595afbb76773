package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"w3host/config"
	"w3host/host/takeover"
	"w3host/internal/network"
	"w3host/internal/terminal"
	"w3host/storage"
)

// ListenFault returns an error that explains why host.listen cannot be used, with a remedy.
func ListenFault(listen string, err error) error {
	if unknown, ok := errors.AsType[*net.DNSError](err); ok {
		return fmt.Errorf("host.listen = %q: the name %q has no address; write an IPv4 address of this machine, or 0.0.0.0 for all of them",
			listen, unknown.Name)
	}
	remedy := "choose another with --listen"
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		remedy = "another program uses the port, perhaps another w3host; stop it, or " + remedy
	case errors.Is(err, fs.ErrPermission):
		remedy = "ports below 1024 need root or CAP_NET_BIND_SERVICE; " + remedy
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		remedy = "this machine does not have that address; use 0.0.0.0 for all its addresses, or " + remedy
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err // omit the repeated address
	}
	return fmt.Errorf("host.listen = %q: %w; %s", listen, err, remedy)
}

// checkFolders creates the host's folders and checks that they can be written. Each error names the key, the folder and
// the system's reason.
func checkFolders(c config.Config) error {
	var faults []error
	if err := storage.CheckURL(c.DatabaseURL()); err != nil {
		return fmt.Errorf("database.url: %w", err)
	}
	faults = append(faults, checkFolder("host.data_dir", c.Host.DataDir, c.Host.DataDir))
	if path := storage.FileOf(c.Database.URL); path != "" {
		faults = append(faults, checkFolder("database.url", c.Database.URL, filepath.Dir(path)))
	}
	if c.Database.Spool != "" {
		faults = append(faults, checkFolder("database.spool", c.Database.Spool, c.Database.Spool))
	}
	if c.Replays.Enabled {
		faults = append(faults, checkFolder("replays.dir", c.Replays.Dir, c.Replays.Dir))
	}
	return errors.Join(faults...)
}

func checkFolder(key, value, folder string) error {
	what := "created"
	err := os.MkdirAll(folder, 0o750)
	if err == nil {
		what = "written to"
		var probe *os.File
		if probe, err = os.CreateTemp(folder, ".w3host-*"); err == nil {
			err = errors.Join(probe.Close(), os.Remove(probe.Name()))
		}
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s = %q: the folder %s cannot be %s: %w; let the user %s write there, or set %s to another place",
		key, value, absolute(folder), what, reasonOf(err), terminal.User(), key)
}

// mapNamed returns the name of the requested map, with its key if it comes from the configuration.
func mapNamed(c config.Config, query string) string {
	if query == c.Lobby.Map {
		return fmt.Sprintf("lobby.map = %q", query)
	}
	return fmt.Sprintf("the map %q", query)
}

// missingMap returns the error for a map that was found neither as a file nor by name.
func missingMap(c config.Config, query string, err error) error {
	named := mapNamed(c, query)
	if info, statErr := os.Stat(query); statErr == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder: name a map in it, or set maps.dir to it", named)
	}
	if ext := strings.ToLower(filepath.Ext(query)); strings.ContainsAny(query, `/\`) && (ext == ".w3x" || ext == ".w3m") {
		return fmt.Errorf("%s: there is no file %s", named, absolute(query))
	}
	return fmt.Errorf("%s is not a file, and there is no maps folder to search (maps.dir = %q, which is %s: %w); create the folder and put maps there, or give the path of a map",
		named, c.Maps.Dir, absolute(c.Maps.Dir), reasonOf(err))
}

// FirstPort returns the first free address of a range of ports, which a host would use, or the first one if none is
// free.
func FirstPort(listen string) string {
	ports, err := network.Ports(listen)
	if err != nil || len(ports) == 1 {
		return listen
	}
	l, err := takeover.Listen(nil, listen, "")
	if err != nil {
		return ports[0]
	}
	defer l.Close()
	return fmt.Sprint(listen[:strings.LastIndexByte(listen, ':')+1], l.Addr().Port())
}

// reasonOf returns the system's part of an error, without the path, which may be relative.
func reasonOf(err error) error {
	if number, ok := errors.AsType[syscall.Errno](err); ok {
		return number
	}
	return err
}

// absolute returns the absolute path; "" stays empty.
func absolute(path string) string {
	if path == "" {
		return ""
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
