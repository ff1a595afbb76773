package daemon

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// spec is what a client needs of an OpenAPI file.
type spec struct {
	Servers    []struct{ URL string }
	Paths      map[string]map[string]*operation
	Components struct{ Schemas map[string]*schema }
}

type operation struct {
	OperationID string
	Role        string `json:"x-role"`
	Parameters  []struct {
		Name, In string
		Schema   schema
	}
	RequestBody *content
	Responses   map[string]content
}

type content struct {
	Content map[string]struct{ Schema schema }
}

type schema struct {
	Ref        string `json:"$ref"`
	Type       any
	Properties map[string]*schema
	Required   []string
	Items      *schema
	Enum       []any
	Examples   []any
	Additional any `json:"additionalProperties"`
}

func (s *spec) of(x *schema) *schema {
	if name, ok := strings.CutPrefix(x.Ref, "#/components/schemas/"); ok {
		return s.Components.Schemas[name]
	}
	return x
}

// example makes a value that the file itself proposes.
func (s *spec) example(x *schema) any {
	if x = s.of(x); len(x.Examples) > 0 {
		return x.Examples[0]
	}
	if len(x.Properties) > 0 {
		value := map[string]any{}
		for name, p := range x.Properties {
			if name != "$schema" {
				value[name] = s.example(p)
			}
		}
		return value
	}
	return nil
}

// check compares a value with its schema.
func (s *spec) check(at string, x *schema, v any) error {
	if x = s.of(x); x.Type == nil { // anything
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range x.Required {
			if _, there := v[name]; !there {
				return fmt.Errorf("%s: there is no %s", at, name)
			}
		}
		for name, value := range v {
			switch p := x.Properties[name]; {
			case p == nil && x.Additional == false:
				return fmt.Errorf("%s: %s is not described", at, name)
			case p != nil:
				if err := s.check(at+"."+name, p, value); err != nil {
					return err
				}
			}
		}
	case []any:
		if x.Items == nil {
			return fmt.Errorf("%s: is a list", at)
		}
		for i, value := range v {
			if err := s.check(fmt.Sprintf("%s[%d]", at, i), x.Items, value); err != nil {
				return err
			}
		}
	}
	kind := map[bool]string{true: "null"}[v == nil]
	switch v := v.(type) {
	case string:
		kind = "string"
	case bool:
		kind = "boolean"
	case float64:
		if kind = "number"; v == float64(int64(v)) {
			kind = "integer"
		}
	case []any:
		kind = "array"
	case map[string]any:
		kind = "object"
	}
	allowed := fmt.Sprint(x.Type)
	if !strings.Contains(allowed, kind) && (kind != "integer" || !strings.Contains(allowed, "number")) {
		return fmt.Errorf("%s: is %s, not %v", at, kind, x.Type)
	}
	if x.Enum != nil && !slices.Contains(x.Enum, v) {
		return fmt.Errorf("%s: %v is none of %v", at, v, x.Enum)
	}
	return nil
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && fmt.Sprint(x) == fmt.Sprint(y)
}

// call makes a request from the examples.
func (s *spec) call(h *apiHost, role, method, path string, o *operation) (status int, kind, text string) {
	query := ""
	for _, p := range o.Parameters {
		value := fmt.Sprint(s.example(&p.Schema))
		switch p.In {
		case "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", value)
		case "query":
			query += "&" + p.Name + "=" + value
		}
	}
	body := ""
	if o.RequestBody != nil {
		x := o.RequestBody.Content["application/json"].Schema
		b, _ := json.Marshal(s.example(&x))
		body = string(b)
	}
	query = strings.ReplaceAll(query, "&joinable=<nil>", "")
	return h.ask(role, strings.ToUpper(method), s.Servers[0].URL+path+"?"+strings.TrimPrefix(query, "&"), body)
}
