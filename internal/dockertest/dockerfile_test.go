// Package dockertest tests what operators deploy: the Dockerfile must build a small, static image that runs
// without privileges, and compose.yaml and the systemd unit must match the program. It contains only tests.
//
// If the tests run as root and dockerd is installed, they start their own Docker engine and deploy everything
// with the documented commands. Otherwise Docker or Buildah builds the image, if either works, and the tests
// run its program in a folder. Without both, these tests are skipped and say so.
package dockertest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"w3host/config"
)

var root = filepath.Join("..", "..")

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
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

// wanted is the image that the Dockerfile must build, and that compose.yaml and
// docs/deployment.md are about.
func wanted() imageConfig {
	return imageConfig{
		User: "65532:65532", WorkingDir: "/", Entrypoint: []string{"/w3host"}, Cmd: []string{"serve", "--supervise"},
		Volumes:      map[string]struct{}{"/data": {}, "/maps": {}, "/scripts": {}},
		ExposedPorts: map[string]struct{}{"6112/tcp": {}, "6112/udp": {}},
		Healthcheck:  &struct{ Test []string }{[]string{"CMD", "/w3host", "health"}},
	}
}

// The toolchain of the image must be able to build the module: Go fetches none
// newer in an image that says GOTOOLCHAIN=local.
func TestGoVersions(t *testing.T) {
	language := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(readFile(t, "go.mod"))
	image := regexp.MustCompile(`(?m)^ARG GO_VERSION=(.*)\nFROM golang:\$\{GO_VERSION\}`).FindStringSubmatch(readFile(t, "Dockerfile"))
	if language == nil || image == nil || image[1] != language[1] {
		t.Errorf("go.mod wants Go %v; the Dockerfile builds with %v", language, image)
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
		"Dockerfile", "compose.yaml", "compose.lan.yaml", "compose.fdstore.yaml", "compose.metrics.yaml", ".env.example", "deploy/w3host.service",
		"docs/deployment.md", "README.md", "config.toml.example",
	} {
		for _, name := range names.FindAllString(readFile(t, file), -1) {
			if !slices.Contains(known, name) && !slices.Contains(examples, name) {
				t.Errorf("%s names %s, which is no setting", file, name)
			}
		}
	}
}

// The last stage starts from nothing: what is not copied into it is not there.
func TestDockerfileEndsInScratch(t *testing.T) {
	stages := regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllStringSubmatch(readFile(t, "Dockerfile"), -1)
	if len(stages) != 2 || stages[1][1] != "scratch" || !strings.Contains(readFile(t, "Dockerfile"), "\nUSER "+wanted().User+"\n") {
		t.Errorf("stages %q; the last must be from scratch, and run as %s", stages, wanted().User)
	}
}
