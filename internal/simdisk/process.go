package simdisk

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"w3host/internal/disk"
)

// OpenFile implements disk.Disk.
func (p *Process) OpenFile(name string, flag int, perm fs.FileMode) (disk.File, error) {
	op := "open"
	if flag&os.O_CREATE != 0 {
		op = "create"
	}
	if _, err := p.begin(op, name); err != nil {
		return nil, err
	}
	d := p.d
	defer d.mu.Unlock()
	name = filepath.Clean(name)
	n, err := d.node("open", name)
	switch {
	case err != nil && flag&os.O_CREATE != 0:
		if n, err = d.create(name, perm); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	case flag&(os.O_CREATE|os.O_EXCL) == os.O_CREATE|os.O_EXCL:
		return nil, failed("open", name, fs.ErrExist)
	case n.dir:
		return nil, failed("open", name, syscall.EISDIR)
	}
	f := &file{p: p, n: n, name: name, append: flag&os.O_APPEND != 0}
	if flag&os.O_TRUNC != 0 {
		f.resize(0)
	}
	p.open++
	return f, nil
}

// CreateTemp implements disk.Disk.
func (p *Process) CreateTemp(dir, pattern string) (disk.File, error) {
	p.d.mu.Lock()
	p.d.temp++
	number := fmt.Sprint(p.d.temp)
	p.d.mu.Unlock()
	before, after, _ := strings.Cut(pattern, "*")
	return p.OpenFile(filepath.Join(dir, before+number+after), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
}

// MkdirAll implements disk.Disk.
func (p *Process) MkdirAll(name string, perm fs.FileMode) error {
	op := "lstat"
	p.d.mu.Lock()
	if p.d.names[filepath.Clean(name)] == nil {
		op = "mkdir"
	}
	p.d.mu.Unlock()
	if _, err := p.begin(op, name); err != nil {
		return err
	}
	defer p.d.mu.Unlock()
	return p.d.mkdirAll(filepath.Clean(name), perm)
}

func (d *Disk) mkdirAll(name string, perm fs.FileMode) error {
	if n := d.names[name]; n != nil {
		if !n.dir {
			return failed("mkdir", name, syscall.ENOTDIR)
		}
		return nil
	}
	if err := d.mkdirAll(filepath.Dir(name), perm); err != nil {
		return err
	}
	if d.full() {
		return failed("mkdir", name, syscall.ENOSPC)
	}
	d.rename(change{to: name, node: &inode{dir: true, perm: perm, mod: time.Now()}})
	return nil
}

// ReadDir implements disk.Disk.
func (p *Process) ReadDir(name string) (list []fs.DirEntry, err error) {
	if _, err := p.begin("readdir", name); err != nil {
		return nil, err
	}
	defer p.d.mu.Unlock()
	if _, err := p.d.node("open", name); err != nil {
		return nil, err
	}
	for _, path := range p.d.below(filepath.Clean(name)) {
		list = append(list, fs.FileInfoToDirEntry(p.d.names[path].info(path)))
	}
	return list, nil
}

// ReadFile implements disk.Disk.
func (p *Process) ReadFile(name string) ([]byte, error) {
	if _, err := p.begin("read", name); err != nil {
		return nil, err
	}
	defer p.d.mu.Unlock()
	n, err := p.d.node("open", name)
	if err != nil {
		return nil, err
	}
	return slices.Clone(n.data), nil
}

// Lstat implements disk.Disk.
func (p *Process) Lstat(name string) (fs.FileInfo, error) {
	if _, err := p.begin("lstat", name); err != nil {
		return nil, err
	}
	defer p.d.mu.Unlock()
	n, err := p.d.node("lstat", name)
	if err != nil {
		return nil, err
	}
	return n.info(name), nil
}

// Rename implements disk.Disk. Folders cannot be renamed.
func (p *Process) Rename(from, to string) error {
	if _, err := p.begin("rename", from); err != nil {
		return err
	}
	d := p.d
	defer d.mu.Unlock()
	from, to = filepath.Clean(from), filepath.Clean(to)
	n, err := d.node("rename", from)
	switch {
	case err != nil:
		return err
	case n.dir:
		return failed("rename", from, syscall.EISDIR)
	case d.names[filepath.Dir(to)] == nil:
		return failed("rename", to, fs.ErrNotExist)
	}
	d.rename(change{from: from, to: to, node: n})
	return nil
}

// Remove implements disk.Disk.
func (p *Process) Remove(name string) error {
	if _, err := p.begin("remove", name); err != nil {
		return err
	}
	d := p.d
	defer d.mu.Unlock()
	name = filepath.Clean(name)
	if _, err := d.node("remove", name); err != nil {
		return err
	}
	if len(d.below(name)) > 0 {
		return failed("remove", name, syscall.ENOTEMPTY)
	}
	d.rename(change{from: name})
	return nil
}

// RemoveAll implements disk.Disk.
func (p *Process) RemoveAll(name string) error {
	if _, err := p.begin("remove", name); err != nil {
		return err
	}
	d := p.d
	defer d.mu.Unlock()
	var gone []string
	for other := range d.names {
		if inside(filepath.Clean(name), other) {
			gone = append(gone, other)
		}
	}
	slices.Sort(gone)
	for _, other := range slices.Backward(gone) {
		d.rename(change{from: other})
	}
	return nil
}

// Getpid implements disk.Disk.
func (p *Process) Getpid() int { return p.pid }

// SyncDir implements disk.Disk.
func (p *Process) SyncDir(name string) error {
	if _, err := p.begin("sync", name); err != nil {
		return err
	}
	d := p.d
	defer d.mu.Unlock()
	if _, err := d.node("open", name); err != nil {
		return err
	}
	for _, c := range d.changes {
		c.apply(d.durable)
	}
	d.changes = nil
	return nil
}

// Free implements disk.Disk.
func (p *Process) Free(string) (free uint64, known bool) {
	d := p.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.faults.Capacity == 0 {
		return 1 << 40, true
	}
	return uint64(max(0, d.faults.Capacity-d.used)), true
}

// lock is a locked file.
type lock struct {
	p *Process
	n *inode
}

// Lock implements disk.Disk.
func (p *Process) Lock(name string) (disk.Lock, error) {
	if _, err := p.begin("lock", name); err != nil {
		return nil, err
	}
	d := p.d
	defer d.mu.Unlock()
	name = filepath.Clean(name)
	n, err := d.node("lock", name)
	if err != nil {
		if n, err = d.create(name, 0o600); err != nil {
			return nil, err
		}
	}
	if n.lock != nil {
		return nil, disk.ErrLocked
	}
	n.lock = &lock{p, n}
	p.open++
	return n.lock, nil
}

// Unlock implements disk.Lock.
func (l *lock) Unlock() error {
	l.p.d.mu.Lock()
	defer l.p.d.mu.Unlock()
	if l.n.lock == l {
		l.n.lock = nil
		l.p.open--
	}
	return nil
}
