package mapconf

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Size limits in bytes of a settings file and of a game script.
const (
	maxConfig = 1 << 20
	maxScript = 16 << 20
)

// Open opens a regular file for reading. It refuses other files without blocking, such as endless devices or
// pipes without a writer.
func Open(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path) // checked before opening, because opening a device can have side effects
	if err == nil {
		err = checkRegular(path, info)
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // non-blocking, in case it has been replaced by a pipe
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = checkRegular(path, info)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func checkRegular(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return fmt.Errorf("%s is a %s, not a file", path, cmp.Or(kinds[info.Mode().Type()], "special file"))
}

// kinds names the types of files that are not regular.
var kinds = map[fs.FileMode]string{
	fs.ModeDir: "folder", fs.ModeNamedPipe: "named pipe", fs.ModeSocket: "socket",
	fs.ModeDevice: "device", fs.ModeDevice | fs.ModeCharDevice: "device",
}

// readText reads a regular file of at most limit bytes.
func readText(path string, limit int64) ([]byte, error) {
	f, _, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s has more than %d bytes", path, limit)
	}
	return data, err
}
