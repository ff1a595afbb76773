package bots

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"w3host/protocol/w3gs"
)

// download is the map download of one bot. The file has the suffix ".part" until it is complete; a later run resumes it.
type download struct {
	path      string // of the complete file
	file      *os.File
	buf       *bufio.Writer
	crc       hash.Hash32
	sum       hash.Hash // SHA-256
	held      uint32    // bytes written to the file
	from      uint32    // bytes that an earlier run had written
	want      *w3gs.MapCheck
	announced bool          // whether 0x3F (download starts) has come
	asked     time.Duration // when the bot said that it lacks the map (0x42)
	refused   bool          // 0x45 was sent; parts already on the way with another offset are no fault
	rng       *rand.Rand
	stalled   bool
}

// openDownload answers a map check with the number of bytes that an earlier run downloaded.
func (p *player) openDownload(now time.Duration, q *w3gs.MapCheck) {
	d, err := newDownload(p.conduct.Download, p.name, q)
	if err != nil {
		p.finish(OutcomeBroken, err.Error())
		return
	}
	d.asked = now
	d.rng = rand.New(rand.NewPCG(uint64(p.seat), 0x45))
	p.download = d
	p.send(&w3gs.MapSize{Flag: w3gs.MapHave, Size: d.held})
	if d.held == q.Size {
		p.completeDownload(now)
	}
}

func newDownload(dir, bot string, q *w3gs.MapCheck) (*download, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("directory for the map: %w", err)
	}
	base := q.Path[strings.LastIndexAny(q.Path, `\/`)+1:]
	if base == "" || strings.ContainsAny(base, `:*?"<>|`) || strings.HasPrefix(base, ".") {
		base = "map.w3x"
	}
	d := &download{path: filepath.Join(dir, bot+"-"+base), crc: crc32.NewIEEE(), sum: sha256.New(), want: q}
	file, err := os.OpenFile(d.path+".part", os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("file for the map: %w", err)
	}
	d.file, d.buf = file, bufio.NewWriterSize(file, 1<<16)
	n, err := io.Copy(io.MultiWriter(d.crc, d.sum), file)
	if err != nil {
		err = fmt.Errorf("read the files of an earlier run: %w", err)
	} else if n > int64(q.Size) {
		err = fmt.Errorf("%s.part holds %d bytes, more than the map has: delete it", d.path, n)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	d.held, d.from = uint32(n), uint32(n)
	return d, nil
}

// onDownload takes a 0x3F: parts will come.
func (p *player) onDownload(now time.Duration, q *w3gs.StartDownload) {
	p.note(now, Event{Packet: q.Op(), PID: q.From})
	d := p.download
	if p.need(d != nil, q.Op(), "the bot has the map") && p.need(!d.announced, q.Op(), "a second time") {
		d.announced = true
	}
}

// onMapPart handles a packet 0x43. Parts must come in order; after a refusal, parts are ignored until the refused one is
// sent again.
func (p *player) onMapPart(now time.Duration, q *w3gs.MapPart) {
	d := p.download
	switch {
	case !p.need(d != nil && p.phase == inLobby, q.Op(), "nobody asked for it"):
		return
	case !p.need(d.announced, q.Op(), "before 0x3F"):
	case !p.need(q.To == p.pid, q.Op(), "for player %d", q.To):
		return
	case !p.need(q.From == p.pid || p.known.has(q.From), q.Op(), "from player %d, who is not there", q.From):
	}
	switch {
	case q.Offset != d.held:
		if !d.refused {
			p.fault(q.Op(), "offset %d where %d was due", q.Offset, d.held)
			p.refusePart(q.From)
		}
		return
	case !q.Intact():
		p.fault(q.Op(), "wrong CRC at offset %d", q.Offset)
		p.refusePart(q.From)
		return
	case !p.need(len(q.Data) > 0 && int64(q.Offset)+int64(len(q.Data)) <= int64(d.want.Size), q.Op(), "%d bytes at offset %d of %d", len(q.Data), q.Offset, d.want.Size):
		return
	case p.conduct.RefuseParts > 0 && d.rng.Float64() < p.conduct.RefuseParts:
		p.refusePart(q.From)
		return
	}
	d.refused = false
	for _, w := range []io.Writer{d.buf, d.crc, d.sum} {
		_, _ = w.Write(q.Data) // bufio keeps the first error, which closeDownload reports
	}
	d.held += uint32(len(q.Data))
	p.set(alarmGiveUp, now+p.g.run.opts.Patience)
	p.g.percent = max(p.g.percent, d.percent())
	if p.conduct.AckDelay == 0 {
		p.ackPart(now)
	} else if p.alarms[alarmAck] == 0 {
		p.set(alarmAck, now+p.conduct.AckDelay)
	}
}

func (d *download) percent() int { return int(uint64(d.held) * 100 / uint64(d.want.Size)) }

func (p *player) refusePart(from uint8) {
	p.download.refused = true
	p.report.PartsRefused++
	p.send(&w3gs.MapPartNotOK{To: from, From: p.pid})
}

// ackPart acknowledges the parts received so far, and stalls or leaves at the points given by Conduct.
func (p *player) ackPart(now time.Duration) {
	d := p.download
	if d == nil || p.phase != inLobby {
		return
	}
	if p.conduct.AckSizes {
		p.send(&w3gs.MapSize{Flag: w3gs.MapDownloading, Size: d.held})
	} else {
		from := uint8(1)
		if list := p.known.list(); len(list) > 0 {
			from = list[0]
		}
		p.send(&w3gs.MapPartOK{To: from, From: p.pid, Size: d.held})
	}
	percent := d.percent()
	switch c := &p.conduct; {
	case d.held == d.want.Size:
		p.completeDownload(now)
	case c.LeaveAtPercent > 0 && percent >= c.LeaveAtPercent:
		p.leave(now)
	case c.StallAtPercent > 0 && percent >= c.StallAtPercent && !d.stalled:
		d.stalled = true
		p.paused = true
		p.set(alarmResume, now+c.StallFor)
	}
}

// completeDownload compares the CRC-32 with the map check and tells the host that the bot has the map.
func (p *player) completeDownload(now time.Duration) {
	d := p.download
	p.set(alarmGiveUp, now+p.g.run.opts.Patience)
	crc := d.crc.Sum32()
	r := &DownloadReport{
		Player: p.name, Path: d.path, Bytes: int64(d.held), Resumed: int64(d.from),
		CRC32: fmt.Sprintf("%08x", crc), SHA256: hex.EncodeToString(d.sum.Sum(nil)),
		Time: now - d.asked, Intact: crc == d.want.CRC32,
	}
	p.need(r.Intact, w3gs.OpMapPart, "the map arrived with CRC %08x, 0x3D says %08x", crc, d.want.CRC32)
	if d.from < d.held {
		p.send(&w3gs.MapSize{Flag: w3gs.MapHave, Size: d.held})
	}
	p.downloaded = r
	p.closeDownload()
	p.holds = true
	p.checkReady(now)
}

// closeDownload closes the file, and removes the suffix ".part" if the map is complete.
func (p *player) closeDownload() {
	d := p.download
	if d == nil || d.file == nil {
		return
	}
	err := errors.Join(d.buf.Flush(), d.file.Close())
	if p.downloaded != nil && err == nil {
		err = os.Rename(d.path+".part", d.path)
	}
	if err != nil && !errors.Is(err, fs.ErrClosed) {
		p.g.run.problem(fmt.Errorf("keep the map: %w", err))
	}
	d.file = nil
}
