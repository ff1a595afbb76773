package web

import (
	"encoding/json"
	"net/http"
)

// Problem is an answer that says why something was not done, as RFC 9457 has it. Code is
// for programs and does not change.
type Problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// Fault answers with a problem.
func Fault(w http.ResponseWriter, status int, code, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(Problem{http.StatusText(status), status, code, detail})
}
