package network

import (
	"fmt"
	"strconv"
	"strings"
)

// mostPorts is the maximum length of a port range.
const mostPorts = 1000

// Ports expands an address with a port range, such as 0.0.0.0:6112-6199, to one address per port. An address
// with a single port is returned unchanged.
func Ports(listen string) ([]string, error) {
	colon := strings.LastIndexByte(listen, ':')
	if colon < 0 {
		return nil, fmt.Errorf("%q has no port", listen)
	}
	port := listen[colon+1:]
	low, high, isRange := strings.Cut(port, "-")
	if !isRange {
		return []string{listen}, nil
	}
	first, firstErr := strconv.Atoi(low)
	last, lastErr := strconv.Atoi(high)
	if firstErr != nil || lastErr != nil || first < 1 || last > 65535 || last < first || last-first >= mostPorts {
		return nil, fmt.Errorf("%s is not a port range such as 6112-6199", port)
	}
	list := make([]string, 0, last-first+1)
	for n := first; n <= last; n++ {
		list = append(list, listen[:colon+1]+strconv.Itoa(n))
	}
	return list, nil
}
