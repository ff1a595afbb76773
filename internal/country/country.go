// Package country looks up the country of an IP address in a local database file (.mmdb) such as GeoLite2 or
// DB-IP. File is such a database. Package daemon opens the one named in the configuration. Nothing is sent
// over the network.
package country

import (
	"fmt"
	"net/netip"
	"os"

	"github.com/oschwald/maxminddb-golang/v2"
)

// largest is the maximum file size in bytes; country databases have some ten megabytes.
const largest = 512 << 20

// File is a country database in memory. It is safe for concurrent use.
type File struct{ reader *maxminddb.Reader }

// Read reads a database file into memory. It does not map the file, because overwriting a mapped file could
// crash the program.
func Read(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > largest {
		return nil, fmt.Errorf("%s has %d MB: a country database has less than %d MB", path, info.Size()>>20, largest>>20)
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

// places lists where different providers store the country code.
var places = [][]any{{"country", "iso_code"}, {"country_code"}, {"registered_country", "iso_code"}}

// Of returns the two-letter country code of an address, such as DE, or "" if it is unknown.
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
