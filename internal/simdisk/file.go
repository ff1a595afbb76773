package simdisk

import (
	"io"
	"io/fs"
	"path/filepath"
	"syscall"
	"time"
)

// file is an open file of a process.
type file struct {
	p      *Process
	n      *inode
	name   string
	at     int // where Read and Write go on
	append bool
	closed bool
}

// begin begins an access to the file and locks the disk, unless it fails.
func (f *file) begin(op string) (dies bool, err error) {
	dies, err = f.p.begin(op, f.name)
	if err == nil && f.closed {
		f.p.d.mu.Unlock()
		return false, failed(op, f.name, fs.ErrClosed)
	}
	return dies, err
}

func (f *file) Name() string { return f.name }

func (f *file) Read(b []byte) (n int, err error) {
	if _, err := f.begin("read"); err != nil {
		return 0, err
	}
	defer f.p.d.mu.Unlock()
	if f.at >= len(f.n.data) {
		return 0, io.EOF
	}
	n = copy(b, f.n.data[f.at:])
	f.at += n
	return n, nil
}

func (f *file) Write(b []byte) (n int, err error) {
	n, err = f.write(b, func() int {
		if f.append {
			f.at = len(f.n.data)
		}
		return f.at
	})
	f.at += n
	return n, err
}

func (f *file) WriteAt(b []byte, at int64) (n int, err error) {
	return f.write(b, func() int { return int(at) })
}

// write writes as much as the disk has room for; of a process that dies in it, a random part.
func (f *file) write(b []byte, where func() int) (n int, err error) {
	dies, err := f.begin("write")
	if err != nil {
		return 0, err
	}
	d := f.p.d
	at, n := where(), len(b)
	if dies {
		n, err = d.r.IntN(n+1), failed("write", f.name, errDead)
	}
	if more := at + n - len(f.n.data); more > 0 && d.faults.Capacity > 0 {
		if room := int(max(0, d.faults.Capacity-d.used)); more > room {
			n, err = max(0, n-(more-room)), failed("write", f.name, syscall.ENOSPC)
		}
	}
	if at+n > len(f.n.data) && n > 0 {
		f.resize(at + n)
	}
	copy(f.n.data[min(at, len(f.n.data)):], b[:n])
	f.n.clean, f.n.mod = min(f.n.clean, at), time.Now()
	d.mu.Unlock()
	if dies {
		f.p.Kill()
	}
	return n, err
}

// resize makes the file longer, by zeros, or shorter.
func (f *file) resize(size int) {
	n := f.n
	if !n.gone {
		f.p.d.used += int64(size - len(n.data))
	}
	if size <= len(n.data) {
		n.data = n.data[:size]
	} else {
		n.data = append(n.data, make([]byte, size-len(n.data))...)
	}
	n.clean = min(n.clean, size)
}

func (f *file) Truncate(size int64) error {
	if _, err := f.begin("truncate"); err != nil {
		return err
	}
	defer f.p.d.mu.Unlock()
	f.resize(int(size))
	return nil
}

func (f *file) Sync() error {
	if _, err := f.begin("sync"); err != nil {
		return err
	}
	defer f.p.d.mu.Unlock()
	n := f.n
	n.synced = append(n.synced[:min(n.clean, len(n.synced))], n.data[n.clean:]...)
	n.clean = len(n.data)
	return nil
}

func (f *file) Stat() (fs.FileInfo, error) {
	if _, err := f.begin("stat"); err != nil {
		return nil, err
	}
	defer f.p.d.mu.Unlock()
	return f.n.info(f.name), nil
}

// Close works on every disk: closing writes nothing.
func (f *file) Close() error {
	f.p.d.mu.Lock()
	defer f.p.d.mu.Unlock()
	if f.closed {
		return failed("close", f.name, fs.ErrClosed)
	}
	f.closed = true
	if !f.p.dead.Load() {
		f.p.open--
	}
	return nil
}

// info describes a file.
type info struct {
	name string
	size int64
	mode fs.FileMode
	mod  time.Time
}

func (n *inode) info(path string) fs.FileInfo {
	mode := n.perm
	if n.dir {
		mode |= fs.ModeDir
	}
	return info{filepath.Base(path), int64(len(n.data)), mode, n.mod}
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return i.mod }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }
