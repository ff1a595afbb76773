package web

import (
	"io"
	"net/http"
	"time"

	"w3host/texts"
)

// Time limits of a request that brings a file: it must bring something this often, and all
// of it in time.
const (
	stallsFor    = 20 * time.Second
	uploadWithin = 15 * time.Minute
)

// Kind is the status and code of a [Problem].
type Kind struct {
	Status int
	Code   string
}

// Refusal says why a request was not carried out, in any language.
type Refusal struct {
	texts.Text
	Kind
}

// Refuse makes one of an English format that the catalogue of texts has.
func Refuse(kind Kind, format string, args ...any) *Refusal {
	return &Refusal{texts.Of(format, args...), kind}
}

// Fault answers with it.
func (r *Refusal) Fault(w http.ResponseWriter) { Fault(w, r.Status, r.Code, r.String()) }

// Upload is a file that a request brings.
type Upload struct {
	Name    string
	Replace string // ETag of the file that it takes the place of, "*" for any; empty: there must be none
	Size    int64  // in bytes; -1: not known
	Body    io.Reader
}

// Slow gives a request the time that a file takes on a slow line.
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
