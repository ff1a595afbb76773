package storage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"w3host/storage/spool"
)

// recordTypes maps type names to record types. The spool stores the names of types and fields and may be read
// by a later version: a missing field is zero, and an unknown field is ignored.
var recordTypes = byName(GameCreated{}, PlayerJoined{}, GameStarted{}, PlayerVouched{}, PlayerLoaded{}, GameLoaded{}, PlayerLeft{}, GameEnded{},
	ChatLine{}, LagEvent{}, DropEvent{}, LinkEvent{}, SaveEvent{}, Desync{}, MapDownload{}, AdminAction{}, MapReports{}, MapResult{}, PlayerResult{}, KeyedRecord{})

func byName(records ...Record) map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, r := range records {
		t := reflect.TypeOf(r)
		types[t.Name()] = t
	}
	return types
}

// encodeLine returns the spool line for a record.
func encodeLine(run string, e SequencedRecord) (spool.Line, error) {
	if d, ok := e.Record.(Desync); ok {
		d.Dossier = dossierText(d.Dossier)
		e.Record = d
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(e.Record)
	if err == nil && text.Len() > spool.MaxLine {
		err = fmt.Errorf("a record of %d bytes", text.Len())
	}
	return spool.Line{Run: run, Seq: e.Seq, Type: reflect.TypeOf(e.Record).Name(), Record: bytes.TrimSpace(text.Bytes())}, err
}

// decodeLine returns the record of a spool line.
func decodeLine(l spool.Line) (Record, error) {
	name := l.Type
	if name == "Numbered" { // the name of KeyedRecord in spools of earlier builds
		name = "KeyedRecord"
	}
	t := recordTypes[name]
	if t == nil {
		return nil, fmt.Errorf("a record of the type %q, which a newer w3host may know", l.Type)
	}
	rec := reflect.New(t)
	if err := json.Unmarshal(l.Record, rec.Interface()); err != nil {
		return nil, fmt.Errorf("read a %s: %w", l.Type, err)
	}
	return rec.Elem().Interface().(Record), nil
}
