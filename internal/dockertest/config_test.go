package dockertest

import (
	"strings"
	"testing"
)

// dockerfileConfig is what the last stage says about running the image.
func dockerfileConfig(t *testing.T) (c imageConfig) {
	t.Helper()
	_, stages := readDockerfile(t)
	last := stages[len(stages)-1]
	if last.base != "scratch" {
		t.Fatalf("the image is based on %s, not on scratch", last.base)
	}
	set := func(words []string) map[string]struct{} {
		m := map[string]struct{}{}
		for _, w := range words {
			m[w] = struct{}{}
		}
		return m
	}
	for _, step := range last.steps {
		switch step.name {
		case "USER":
			c.User = step.text
		case "ENV":
			c.Env = append(c.Env, strings.Fields(step.text)...)
		case "WORKDIR":
			c.WorkingDir = step.text
		case "ENTRYPOINT":
			c.Entrypoint = step.list(t)
		case "VOLUME":
			c.Volumes = set(step.list(t))
		case "EXPOSE":
			c.ExposedPorts = set(step.list(t))
		case "HEALTHCHECK":
			form, command, _ := strings.Cut(step.text, " ")
			step.text = strings.TrimSpace(command)
			c.Healthcheck = &struct{ Test []string }{append([]string{form}, step.list(t)...)}
		}
	}
	return c
}
