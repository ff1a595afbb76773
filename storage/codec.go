package storage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"w3host/storage/spool"
)

// recordTypes are the records by the name of their type. Names of types and of
// fields are what is on disk: a spool outlives the program that wrote it. Fields
// that a record lacks are zero, fields that are not known skipped.
var recordTypes = byName(GameCreated{}, PlayerJoined{}, GameStarted{}, PlayerVouched{}, PlayerLoaded{}, GameLoaded{}, PlayerLeft{}, GameEnded{},
	ChatLine{}, LagEvent{}, DropEvent{}, LinkEvent{}, Desync{}, MapDownload{}, AdminAction{}, MapResult{}, PlayerResult{})

func byName(records ...Record) map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, r := range records {
		t := reflect.TypeOf(r)
		types[t.Name()] = t
	}
	return types
}

// encoder writes records as lines of the spool, with one buffer for all.
type encoder struct {
	run string
	buf bytes.Buffer
}

func (e *encoder) append(dst []byte, seq uint64, rec Record) ([]byte, error) {
	if d, ok := rec.(Desync); ok {
		d.Dossier = json.RawMessage(dossierText(d.Dossier))
		rec = d
	}
	e.buf.Reset()
	enc := json.NewEncoder(&e.buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(rec); err != nil {
		return dst, err
	}
	text := bytes.TrimSpace(e.buf.Bytes())
	if len(text) > spool.MaxLine {
		return dst, fmt.Errorf("a record of %d bytes", len(text))
	}
	l := spool.Line{Run: e.run, Seq: seq, Type: reflect.TypeOf(rec).Name(), Record: text}
	return l.Append(dst), nil
}

// decodeLine reads a record back.
func decodeLine(l spool.Line) (Record, error) {
	t := recordTypes[l.Type]
	if t == nil {
		return nil, fmt.Errorf("a record of the type %q, which a newer w3host may know", l.Type)
	}
	rec := reflect.New(t)
	if err := json.Unmarshal(l.Record, rec.Interface()); err != nil {
		return nil, fmt.Errorf("read a %s: %w", l.Type, err)
	}
	return rec.Elem().Interface().(Record), nil
}

// lineOf is a record as it is in the spool.
func lineOf(run string, e Entry) spool.Line {
	return spool.Line{
		Run: run, Seq: e.Seq, Type: reflect.TypeOf(e.Record).Name(), Record: json.RawMessage(jsonText(e.Record)),
	}
}
