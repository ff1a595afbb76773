package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	codeBlock = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```")
	mdLink    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading   = regexp.MustCompile(`(?m)^#+ +(.+?) *$`)
	notAnchor = regexp.MustCompile(`[^\pL\pN _-]`)
)

// TestLinks follows every link between the Markdown files of this repository, including the heading that
// a link names after #.
func TestLinks(t *testing.T) {
	root := filepath.Join("..", "..")
	links := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || path != root && strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, link := range mdLink.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(text), ""), -1) {
			if strings.Contains(link[1], ":") { // another site
				continue
			}
			links++
			if fault := followLink(path, link[1]); fault != "" {
				t.Errorf("%s: the link to %s %s", path, link[1], fault)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if links < 50 {
		t.Errorf("only %d links found", links)
	}
}

// followLink returns what is wrong with a link in the file from, or "".
func followLink(from, link string) string {
	file, anchor, _ := strings.Cut(link, "#")
	target := from
	if file != "" {
		target = filepath.Join(filepath.Dir(from), file)
	}
	info, err := os.Stat(target)
	if err != nil {
		return "leads to no file"
	}
	if anchor == "" || info.IsDir() {
		return ""
	}
	text, err := os.ReadFile(target)
	if err != nil {
		return err.Error()
	}
	for _, h := range heading.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(text), ""), -1) {
		name := notAnchor.ReplaceAllString(strings.ToLower(h[1]), "")
		if strings.ReplaceAll(name, " ", "-") == anchor {
			return ""
		}
	}
	return "names a heading that is not there"
}
