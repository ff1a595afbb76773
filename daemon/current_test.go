package daemon

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net/netip"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/game"
	"w3host/storage"
	"w3host/storage/storagetest"
)

// No part of the daemon reads a setting that a reload changes from the configuration of the start.
func TestReloadReachesEverybody(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, f.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if key := keyOfStart(n); key != "" && live(key) {
				t.Errorf("%v: d.Config has the %s of the start: use d.current()", set.Position(n.Pos()), key)
			}
			return true
		})
	}
}

// keyOfStart returns the key of the configuration that an expression d.Config.SECTION.KEY reads; "": it is none.
func keyOfStart(n ast.Node) string {
	key, ok := n.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	section, ok := key.X.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if start, ok := section.X.(*ast.SelectorExpr); !ok || start.Sel.Name != "Config" {
		return ""
	}
	s, ok := reflect.TypeFor[config.Config]().FieldByName(section.Sel.Name)
	if !ok || s.Type.Kind() != reflect.Struct {
		return ""
	}
	k, ok := s.Type.FieldByName(key.Sel.Name)
	if !ok {
		return ""
	}
	return s.Tag.Get("toml") + "." + k.Tag.Get("toml")
}

// An address that limits.exempt names since a reload is not banned when its player leaves early.
func TestLeaverBanAfterReload(t *testing.T) {
	c := config.Default()
	c.Moderation.LeaverBan, c.Limits.Exempt = config.Duration(time.Hour), nil
	db := storagetest.Open(t, storagetest.SQLite(t))
	d := &daemon{Options: Options{Config: c, Log: zerolog.Nop()}, ctx: t.Context(), db: db}
	d.lists = newGuard(storage.NewAccessCache(db, storage.AccessCacheOptions{Dir: t.TempDir(), Log: zerolog.Nop()}), c)
	defer d.lists.Close()
	reloaded := c
	reloaded.Limits.Exempt = []string{"203.0.113.0/24"}
	d.lists.config.Store(&reloaded)
	d.banLeaver(game.Player{Name: "Bob", Addr: netip.MustParseAddrPort("203.0.113.9:6112")})
	if bans, err := db.Bans(t.Context(), false); err != nil || len(bans) > 0 {
		t.Errorf("%+v are banned, %v", bans, err)
	}
}
