package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"w3host/formats/catalogue"
	"w3host/formats/w3map"
	"w3host/web"
	"w3host/web/access"
)

// Maps gives access to the maps folder.
type Maps interface {
	// List returns the files of maps that can be hosted and whose names contain the pattern.
	List(pattern string) (files []string, err error)
	// File returns the catalogue's entry of a file, or nil if there is none.
	File(file string) (*catalogue.MapFile, error)
}

// MapFile is a file of the maps folder.
type MapFile struct {
	File     string   `json:"file"`
	Size     int64    `json:"size" doc:"Bytes"`
	Tag      string   `json:"etag" doc:"Changes with the file; send it as If-Match to replace the file"`
	Name     string   `json:"name,omitempty" doc:"As the map itself has it, without colours"`
	Author   string   `json:"author,omitempty"`
	Slots    int      `json:"slots,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Fault    string   `json:"fault,omitempty" doc:"Why it cannot be hosted"`
}

func mapFile(e *catalogue.MapFile) MapFile {
	m := MapFile{File: w3map.Shown(e.File), Size: e.Size, Tag: e.Tag()}
	if e.Fault != nil {
		m.Fault = e.Fault.Error()
	}
	if e.Map != nil {
		m.Name, m.Author, m.Slots, m.Warnings = w3map.Plain(e.Map.Name), w3map.Plain(e.Map.Author), len(e.Map.Slots), e.Map.Warnings
	}
	return m
}

func (a *api) listMaps(_ context.Context, in *struct {
	Query string `query:"q" maxLength:"100" example:"" doc:"A part of the name"`
},
) (*body[list[string]], error) {
	files, err := a.Maps.List(in.Query)
	if err != nil {
		return nil, fault(http.StatusConflict, "refused", err.Error())
	}
	return listOf(files, itself), nil
}

func (a *api) getMap(_ context.Context, in *struct {
	Name string `path:"name" maxLength:"255" example:"one.w3x" doc:"Of its file"`
},
) (*body[MapFile], error) {
	e, err := a.Maps.File(in.Name)
	switch {
	case err != nil:
		return nil, fault(http.StatusServiceUnavailable, "disk", "the maps folder cannot be read; the log says why")
	case e == nil:
		return nil, fault(http.StatusNotFound, "not_found", "there is no such file in the maps folder")
	}
	return &body[MapFile]{mapFile(e)}, nil
}

// putMap stores an uploaded map. It does not use huma, which would hold the whole file in memory.
func (a *api) putMap(w http.ResponseWriter, r *http.Request) {
	web.Slow(w, r)
	e, replaced, err := a.Upload(r, web.Upload{Name: r.PathValue("name"), Replace: r.Header.Get("If-Match"), Size: r.ContentLength, Body: r.Body})
	var refused *web.Refusal
	switch {
	case errors.As(err, &refused):
		refused.WriteProblem(w)
		return
	case err != nil:
		web.WriteProblem(w, http.StatusServiceUnavailable, "disk", err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("ETag", e.Tag())
	if !replaced {
		w.WriteHeader(http.StatusCreated)
	}
	_ = json.NewEncoder(w).Encode(mapFile(e)) // the reader is gone
}

// describeUpload adds the upload to the OpenAPI description.
func describeUpload(to huma.API) {
	text := &huma.Schema{Type: huma.TypeString}
	file := map[string]*huma.MediaType{"application/json": {Schema: to.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[MapFile](), true, "")}}
	document(to, access.Admin, &huma.Operation{
		Method: http.MethodPut, Path: "/maps/{name}", OperationID: "putMap", Summary: "Bring a map into the maps folder",
		Description: "The file is read as a map before it has its name, and appears whole. Where there is one of this name, If-Match must be its etag, or *. " +
			"One file at a time from an account or token, two in all, of web.upload_max bytes at most.",
		Parameters: []*huma.Param{
			{Name: "name", In: "path", Required: true, Description: "Of the file, which ends with .w3x or .w3m", Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{"one.w3x"}}},
			{Name: "If-Match", In: "header", Description: "The etag of the file to replace, or *", Schema: text},
		},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/octet-stream": {}}},
		Responses: map[string]*huma.Response{
			"200": {Description: "It has replaced a file", Content: file},
			"201": {Description: "It is there", Content: file},
		},
	}, map[string]string{
		"400": "It did not come whole", "401": "Unauthorized", "403": "Forbidden", "409": "There is a map of this name",
		"412": "The file to replace has changed", "413": "It is too large", "422": "It is no map that can be hosted, or the name is no file's",
		"429": "Too Many Requests, or too many files", "503": "The folder cannot be written", "507": "The disk is almost full",
	})
}
