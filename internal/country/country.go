// Package country tells the country of an address from a file of the operator's (.mmdb), as GeoLite2, DB-IP and
// others publish them. Nobody is asked over the network.
package country

import (
	"fmt"
	"net/netip"
	"os"

	"github.com/oschwald/maxminddb-golang/v2"
)

// largest is the size of a file that is read; those of countries have some ten megabytes.
const largest = 512 << 20

// File is one in memory.
type File struct{ reader *maxminddb.Reader }

// Read reads a file. Memory that the system reads from it later would end the program where somebody
// writes over the file.
func Read(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > largest {
		return nil, fmt.Errorf("%s has %d MB: a file of countries has less than %d MB", path, info.Size()>>20, largest>>20)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	reader, err := maxminddb.OpenBytes(data)
	if err != nil {
		return nil, fmt.Errorf("%s is not an .mmdb file: %w", path, err)
	}
	return &File{reader}, nil
}

// places are where files have the code, from that of MaxMind on.
var places = [][]any{{"country", "iso_code"}, {"country_code"}, {"registered_country", "iso_code"}}

// Of is the code of an address's country, such as DE; empty: the file does not say.
func (f *File) Of(addr netip.Addr) string {
	found := f.reader.Lookup(addr.Unmap().WithZone(""))
	for _, place := range places {
		code := ""
		if err := found.DecodePath(&code, place...); err == nil && len(code) == 2 {
			return code
		}
	}
	return ""
}
