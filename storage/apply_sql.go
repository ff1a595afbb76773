package storage

import (
	"encoding/json"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// excluded returns the assignments of an upsert that set columns to the values of the new row.
func excluded(columns ...string) string {
	for i, c := range columns {
		columns[i] = c + " = excluded." + c
	}
	return strings.Join(columns, ", ")
}

// address returns an address as text, or nil (NULL) if it is unknown.
func address(a netip.Addr) any {
	if !a.IsValid() {
		return nil
	}
	return a.Unmap().WithZone("").String()
}

func hex32(v uint32) string { return fmt.Sprintf("%08x", v) }

func jsonText(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("storage: %T is not JSON: %v", v, err)) // cannot happen with our plain structs
	}
	return cleanJSON(b)
}

// dossierText returns JSON unchanged, and any other text as a JSON string.
func dossierText(b []byte) json.RawMessage {
	switch {
	case len(b) == 0:
		return json.RawMessage("null")
	case json.Valid(b):
		return cleanJSON(b)
	}
	return jsonText(clean(string(b)))
}

// cleanJSON replaces escaped NULs, which JSON allows but Postgres does not store.
func cleanJSON(b []byte) json.RawMessage {
	return json.RawMessage(strings.ReplaceAll(clean(string(b)), `\u0000`, `\ufffd`))
}

type desyncGroup struct {
	Hash    string `json:"hash"`
	PIDs    PIDs   `json:"pids"`
	Dropped bool   `json:"dropped"`
}

func (r Desync) groups() []desyncGroup {
	all := []desyncGroup{}
	for _, g := range r.Groups {
		all = append(all, desyncGroup{hex32(g.Hash), slices.Sorted(slices.Values(g.PIDs)), g.Dropped})
	}
	return all
}

// number returns the value as a number, or nil (NULL) if it is not one.
func number(value string) any {
	f, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return f
}
