// Package simdisk is a disk in memory for tests. It can be full, slow or broken, the processes that use it can be killed in
// the middle of an access, and it can lose power.
//
// A Disk is what stays when processes end. Each process has a Process, which is its view of the disk and implements
// disk.Disk. A killed process leaves what it has written; a power cut also takes what was not synced, in parts.
package simdisk

import (
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"w3host/internal/disk"
)

// Faults are what is wrong with a disk. The zero value is a healthy disk of unlimited size.
type Faults struct {
	Capacity int64                         // bytes of all files; 0 means no limit
	Delay    func(op string) time.Duration // how long an access takes
	Fail     func(op, name string) error   // for example syscall.EIO; nil lets the access succeed
}

// Disk is a disk in memory. Its methods are safe for concurrent use.
type Disk struct {
	mu      sync.Mutex
	r       *rand.Rand
	faults  Faults
	names   map[string]*inode
	durable map[string]*inode // the names that a power cut leaves
	changes []change          // of names, since the last SyncDir
	used    int64
	temp    int // numbers the files of CreateTemp
	count   int // accesses
}

// inode is a file or folder. A file whose name was removed lives on while somebody has it open.
type inode struct {
	dir    bool
	perm   fs.FileMode
	mod    time.Time
	data   []byte
	synced []byte // what a power cut leaves at least
	clean  int    // data and synced are the same up to here
	lock   *lock  // nil: nobody has locked it
	gone   bool   // it has no name any more
}

// change is one change of names, which a power cut leaves or takes as a whole.
type change struct {
	from string // a name that is gone; empty: none
	to   string // a name for node; empty: none
	node *inode
}

// errDead is returned for every access of a process that was killed.
var errDead = errors.New("the process was killed")

// New returns an empty, healthy disk.
func New(seed uint64) *Disk {
	root := &inode{dir: true, perm: 0o755}
	return &Disk{
		r:     rand.New(rand.NewPCG(seed, 9)),
		names: map[string]*inode{"/": root, ".": root}, durable: map[string]*inode{"/": root, ".": root},
	}
}

// Set replaces the faults.
func (d *Disk) Set(f Faults) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.faults = f
}

// Used returns the bytes of all files.
func (d *Disk) Used() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.used
}

// Accesses returns how often processes have used the disk.
func (d *Disk) Accesses() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.count
}

// Files returns the paths of all files, sorted.
func (d *Disk) Files() (list []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, n := range d.names {
		if !n.dir {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// CutPower takes from the disk what was not synced: of the changes of names, the last ones; of each file, any blocks
// that were written since its last sync. All processes must have been killed.
func (d *Disk) CutPower() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.changes[:d.r.IntN(len(d.changes)+1)] {
		c.apply(d.durable)
	}
	d.changes, d.names, d.used = nil, maps.Clone(d.durable), 0
	for _, name := range slices.Sorted(maps.Keys(d.names)) {
		n := d.names[name]
		n.lock, n.gone = nil, false
		d.tear(n)
		d.used += int64(len(n.data))
	}
}

// tear leaves of a file what was synced, and some of the blocks that were written since.
func (d *Disk) tear(n *inode) {
	const block = 512
	least, most := min(len(n.data), len(n.synced)), max(len(n.data), len(n.synced))
	if n.clean == most {
		return
	}
	left := make([]byte, least+d.r.IntN(most-least+1))
	copy(left, n.synced)
	for at := n.clean; at < len(left); {
		end := min(len(left), at/block*block+block)
		if d.r.IntN(2) == 0 && at < len(n.data) {
			copy(left[at:end], n.data[at:])
		}
		at = end
	}
	n.data, n.synced, n.clean = left, slices.Clone(left), len(left)
}

func (c *change) apply(to map[string]*inode) {
	if c.from != "" {
		delete(to, c.from)
	}
	if c.to != "" {
		to[c.to] = c.node
	}
}

// rename carries out a change of names.
func (d *Disk) rename(c change) {
	lost := d.names[c.to]
	if c.to == "" {
		lost = d.names[c.from]
	}
	if lost != nil && lost != c.node {
		d.used -= int64(len(lost.data))
		lost.gone = true
	}
	c.apply(d.names)
	d.changes = append(d.changes, c)
}

// Process is what one process sees of a disk.
type Process struct {
	// Step, if not nil, is called before each access; true kills the process in the middle of it.
	Step func() bool

	d    *Disk
	pid  int
	dead atomic.Bool
	open int // files and locks; guarded by the lock of the disk
}

var _ disk.Disk = (*Process)(nil)

// Process returns the view of a new process.
func (d *Disk) Process(pid int) *Process { return &Process{d: d, pid: pid} }

// Kill ends the process: its accesses fail from now on, its files are closed and its locks released.
func (p *Process) Kill() {
	if p.dead.Swap(true) {
		return
	}
	d := p.d
	d.mu.Lock()
	defer d.mu.Unlock()
	p.open = 0
	for _, n := range d.names {
		if n.lock != nil && n.lock.p == p {
			n.lock = nil
		}
	}
}

// Open returns how many files and locks the process has open.
func (p *Process) Open() int {
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	return p.open
}

// begin begins an access and locks the disk, unless it fails. dies means that the process is killed in it.
func (p *Process) begin(op, name string) (dies bool, err error) {
	dies = p.Step != nil && !p.dead.Load() && p.Step()
	d := p.d
	d.mu.Lock()
	faults := d.faults
	d.count++
	d.mu.Unlock()
	if faults.Delay != nil && !p.dead.Load() {
		if t := faults.Delay(op); t > 0 {
			time.Sleep(t)
		}
	}
	if p.dead.Load() {
		return false, failed(op, name, errDead)
	}
	if faults.Fail != nil {
		if err = faults.Fail(op, name); err != nil {
			err = failed(op, name, err)
		}
	}
	if dies && op != "write" {
		err = failed(op, name, errDead)
	}
	if err == nil {
		d.mu.Lock()
		return dies, nil
	}
	if dies {
		p.Kill()
	}
	return false, err
}

func failed(op, name string, err error) error { return &fs.PathError{Op: op, Path: name, Err: err} }

// node returns the file or folder of a name.
func (d *Disk) node(op, name string) (*inode, error) {
	if n := d.names[filepath.Clean(name)]; n != nil {
		return n, nil
	}
	return nil, failed(op, name, fs.ErrNotExist)
}

// create adds a file to the folder that its name says.
func (d *Disk) create(name string, perm fs.FileMode) (*inode, error) {
	if dir := d.names[filepath.Dir(name)]; dir == nil || !dir.dir {
		return nil, failed("open", name, fs.ErrNotExist)
	}
	if d.full() {
		return nil, failed("open", name, syscall.ENOSPC)
	}
	n := &inode{perm: perm, mod: time.Now()}
	d.rename(change{to: name, node: n})
	return n, nil
}

func (d *Disk) full() bool { return d.faults.Capacity > 0 && d.used >= d.faults.Capacity }

// below lists the names in a folder.
func (d *Disk) below(dir string) (names []string) {
	for name := range d.names {
		if filepath.Dir(name) == dir && name != dir {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// inside reports whether a name is a folder or in it.
func inside(dir, name string) bool {
	return name == dir || strings.HasPrefix(name, dir+string(filepath.Separator))
}
