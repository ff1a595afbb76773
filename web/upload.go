package web

import (
	"io"
	"net/http"
	"time"

	"w3host/texts"
)

// Time limits of an upload: the longest pause without data, and the total duration.
const (
	stallsFor    = 20 * time.Second
	uploadWithin = 15 * time.Minute
)

// Kind is the status and code of a [Problem].
type Kind struct {
	Status int
	Code   string
}

// Refusal explains why a request was refused. It can be translated.
type Refusal struct {
	texts.Text
	Kind
}

// Refuse makes a Refusal from an English format string that is in the catalogue of texts.
func Refuse(kind Kind, format string, args ...any) *Refusal {
	return &Refusal{texts.Of(format, args...), kind}
}

// WriteProblem writes the refusal as a response.
func (r *Refusal) WriteProblem(w http.ResponseWriter) { WriteProblem(w, r.Status, r.Code, r.String()) }

// Upload is an uploaded file.
type Upload struct {
	Name    string
	Replace string // ETag of the file that it takes the place of, "*" for any; empty: there must be none
	Size    int64  // in bytes; -1: not known
	Body    io.Reader
}

// Slow gives a request the time limits of an upload over a slow line.
func Slow(w http.ResponseWriter, r *http.Request) {
	until, c := time.Now().Add(uploadWithin), http.NewResponseController(w)
	_ = c.SetWriteDeadline(until.Add(answerWithin))
	r.Body = &slow{r.Body, c, until}
}

type slow struct {
	io.ReadCloser
	c     *http.ResponseController
	until time.Time
}

func (s *slow) Read(p []byte) (int, error) {
	by := time.Now().Add(stallsFor)
	if by.After(s.until) {
		by = s.until
	}
	_ = s.c.SetReadDeadline(by)
	return s.ReadCloser.Read(p)
}
