// Package dockertest holds what an operator deploys to its word: the Dockerfile
// builds an image that is small, static and runs as nobody; compose.yaml, the
// systemd unit and their settings fit the program.
//
// The image is built by Docker or Buildah where one of them works, and always
// by carrying out the Dockerfile's own lines in an empty folder, which needs
// nothing but Go.
package dockertest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"w3host/config"
)

var root = filepath.Join("..", "..")

// instruction is one of a Dockerfile: RUN --mount=… go build has the flag and
// the text behind it.
type instruction struct {
	name  string
	flags []string
	text  string
	line  int
}

// stage is what stands between two FROM lines, the first included.
type stage struct {
	base, name string
	steps      []instruction
}

// imageConfig is what an image tells whoever runs it, with the names of
// Docker's own format.
type imageConfig struct {
	User         string
	Env          []string
	WorkingDir   string
	Entrypoint   []string
	Cmd          []string
	Volumes      map[string]struct{}
	ExposedPorts map[string]struct{}
	Healthcheck  *struct{ Test []string }
}

// readDockerfile parses the project's Dockerfile.
func readDockerfile(t *testing.T) (args map[string]string, stages []stage) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	steps, err := parseInstructions(string(text))
	if err != nil {
		t.Fatal(err)
	}
	args = map[string]string{}
	for _, step := range steps {
		switch {
		case step.name == "FROM":
			words := strings.Fields(step.text)
			s := stage{base: expand(words[0], args)}
			if len(words) == 3 && strings.EqualFold(words[1], "AS") {
				s.name = words[2]
			}
			stages = append(stages, s)
		case len(stages) > 0:
			last := &stages[len(stages)-1]
			last.steps = append(last.steps, step)
		case step.name == "ARG":
			name, value, _ := strings.Cut(step.text, "=")
			args[name] = value
		default:
			t.Fatalf("Dockerfile line %d: %s before the first FROM", step.line, step.name)
		}
	}
	return args, stages
}

// parseInstructions joins continued lines, and drops comments as the reference
// says: also those between continued lines.
func parseInstructions(text string) ([]instruction, error) {
	var steps []instruction
	var joined string
	var first, number int
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		number++
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if joined == "" {
			first = number
		}
		part, more := strings.CutSuffix(line, `\`)
		joined += part
		if more {
			continue
		}
		name, rest, _ := strings.Cut(joined, " ")
		step := instruction{name: strings.ToUpper(name), text: strings.TrimSpace(rest), line: first}
		for strings.HasPrefix(step.text, "--") {
			option, after, _ := strings.Cut(step.text, " ")
			step.flags, step.text = append(step.flags, option), strings.TrimSpace(after)
		}
		steps, joined = append(steps, step), ""
	}
	if joined != "" {
		return nil, fmt.Errorf("line %d is continued, but the file ends", first)
	}
	return steps, nil
}

// flag is the value of --name=value.
func (i instruction) flag(name string) string {
	for _, f := range i.flags {
		if value, ok := strings.CutPrefix(f, "--"+name+"="); ok {
			return value
		}
	}
	return ""
}

// list is the JSON form, or words.
func (i instruction) list(t *testing.T) []string {
	t.Helper()
	if !strings.HasPrefix(i.text, "[") {
		return strings.Fields(i.text)
	}
	var list []string
	if err := json.Unmarshal([]byte(i.text), &list); err != nil {
		t.Fatalf("Dockerfile line %d: %v", i.line, err)
	}
	return list
}

var variable = regexp.MustCompile(`\$\{(\w+)\}`)

// expand puts build arguments in.
func expand(text string, args map[string]string) string {
	return variable.ReplaceAllStringFunc(text, func(v string) string { return args[v[2:len(v)-1]] })
}

// The toolchain of the image must be able to build the module: Go fetches none
// newer in an image that says GOTOOLCHAIN=local.
func TestGoVersions(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	language := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(text))
	args, stages := readDockerfile(t)
	if language == nil || args["GO_VERSION"] != language[1] || !strings.Contains(stages[0].base, language[1]) {
		t.Errorf("go.mod wants Go %v; the Dockerfile builds with %s", language, stages[0].base)
	}
}

// Every variable that the files of a deployment set, and that the documents
// name, is a key of the configuration.
func TestVariablesAreKeys(t *testing.T) {
	known := []string{config.EnvPrefix + "CONFIG"}
	for _, key := range config.Keys() {
		known = append(known, config.EnvName(key))
	}
	examples := []string{config.EnvPrefix + "SECTION", config.EnvPrefix + "SECTION_KEY", config.EnvPrefix + "REALM_HOME_PASSWORD"}
	names := regexp.MustCompile(config.EnvPrefix + `[A-Z_]*[A-Z]`)
	for _, file := range []string{
		"Dockerfile", "compose.yaml", "compose.lan.yaml", ".env.example", "deploy/w3host.service",
		"docs/deployment.md", "README.md", "config.toml.example",
	} {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names.FindAllString(string(text), -1) {
			if !slices.Contains(known, name) && !slices.Contains(examples, name) {
				t.Errorf("%s names %s, which is no setting", file, name)
			}
		}
	}
}

func TestParseInstructions(t *testing.T) {
	steps, err := parseInstructions("# x\nFROM a AS b\n\nRUN --mount=type=cache,target=/c \\\n  # why\n  one && \\\n  two\nCOPY --chown=1:2 --from=b /x/ /\n")
	want := []instruction{
		{name: "FROM", text: "a AS b", line: 2},
		{name: "RUN", flags: []string{"--mount=type=cache,target=/c"}, text: "one && two", line: 4},
		{name: "COPY", flags: []string{"--chown=1:2", "--from=b"}, text: "/x/ /", line: 8},
	}
	if err != nil || fmt.Sprint(steps) != fmt.Sprint(want) {
		t.Errorf("got  %v, %v\nwant %v", steps, err, want)
	}
	if _, err := parseInstructions("RUN a \\\n"); err == nil {
		t.Error("a continued last line is no error")
	}
}
