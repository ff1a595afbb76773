package daemon

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/host"
)

// A standby that cannot take a changed configuration keeps the maps of the one before, too.
func TestReadAgainKeepsAll(t *testing.T) {
	before := config.Default()
	before.Host.DataDir, before.Database.Spool, before.Maps.Dir = t.TempDir(), t.TempDir(), t.TempDir()
	changed := before
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, nil)
	changed.Host.DataDir, changed.Maps.Dir = filepath.Join(file, "data"), t.TempDir()
	d := &daemon{
		Options: Options{Config: before, Read: func() (config.Config, error) { return changed, nil }, Log: zerolog.Nop()},
		ctx:     t.Context(),
	}
	d.host.Survivors = host.FindSurvivors(nil, d.Log)
	if err := d.openMaps(); err != nil {
		t.Fatal(err)
	}
	d.readAgain()
	if !reflect.DeepEqual(d.Config, before) || !reflect.DeepEqual(d.maps.current(), before) {
		t.Errorf("data in %s, maps in %s", d.Config.Host.DataDir, d.maps.current().Maps.Dir)
	}
}
