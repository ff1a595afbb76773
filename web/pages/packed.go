package pages

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// least is the minimum size in bytes of a page to compress. Smaller pages fit in one network packet anyway.
const least = 1400

// TakesPacked reports whether the browser accepts gzip.
func TakesPacked(r *http.Request) bool {
	return slices.ContainsFunc(strings.Split(strings.Join(r.Header.Values("Accept-Encoding"), ","), ","), func(of string) bool {
		return strings.TrimSpace(of) == "gzip"
	})
}

// packers is a pool of fast gzip writers; compressing a page takes one or two milliseconds.
var packers = sync.Pool{New: func() any { return must(gzip.NewWriterLevel(nil, gzip.BestSpeed)) }}

// Pack compresses a page with gzip at the fastest level.
func Pack(page []byte) []byte {
	var b bytes.Buffer
	z := packers.Get().(*gzip.Writer)
	defer packers.Put(z)
	z.Reset(&b)
	_, _ = z.Write(page) // writing to memory does not fail
	_ = z.Close()
	return b.Bytes()
}

// packedFiles holds the files of static, compressed, by name.
var packedFiles = sync.OnceValue(func() map[string][]byte {
	files := make(map[string][]byte)
	for _, name := range must(fs.Glob(static, "static/*")) {
		files[name] = PackSmall(must(static.ReadFile(name)))
	}
	return files
})

// PackSmall compresses a file with gzip at the best level.
func PackSmall(file []byte) []byte {
	var b bytes.Buffer
	z := must(gzip.NewWriterLevel(&b, gzip.BestCompression))
	_, _ = z.Write(file)
	_ = z.Close()
	return b.Bytes()
}

// Stylesheet returns the stylesheet of the pages, which the public site extends.
func Stylesheet() []byte { return must(static.ReadFile("static/app.css")) }

func (p *Pages) static(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	packed, there := packedFiles()[name]
	if !there {
		p.unknown(w, r)
		return
	}
	w.Header().Set("Cache-Control", "no-cache") // revalidated by its ETag each time
	w.Header().Set("Vary", "Accept-Encoding")
	if !TakesPacked(r) {
		w.Header().Set("ETag", `"`+tag()+`"`)
		http.ServeFileFS(w, r, static, name)
		return
	}
	w.Header().Set("ETag", `"`+tag()+`-gzip"`)
	w.Header().Set("Content-Encoding", "gzip")
	w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(packed))
}
