package web

import (
	"encoding/json"
	"net/http"
)

// Problem is an error response in the format of RFC 9457. Code is a stable identifier for programs.
type Problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// WriteProblem writes an error response. The code is a stable identifier for programs; the detail
// is for people.
func WriteProblem(w http.ResponseWriter, status int, code, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(Problem{http.StatusText(status), status, code, detail})
}
