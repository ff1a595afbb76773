package host

import (
	"fmt"
	"net"
	"testing"

	"w3host/internal/testkit"
	"w3host/internal/tier"
)

// TestBystanderInNamespaces plays TestBystander over a network with packets of
// 1500 bytes: a namespace for the host and one for the bystander, with a pair of
// interfaces between them, of which the host's is shaped. Both are gone with it.
func TestBystanderInNamespaces(t *testing.T) {
	t.Parallel()
	testkit.InNamespace(t, inNamespaces)
}

func inNamespaces(t *testing.T) {
	far := testkit.NewFar(t)
	far.Pair(t)
	bystanders(t, func(t *testing.T, r *rig, rate int64) *net.TCPConn {
		shape := fmt.Sprintf("tc qdisc replace dev near root tbf rate %dbit burst 10kb latency 200ms", 8*rate)
		if _, err := testkit.Run(shape); err != nil {
			tier.Unable(t, "needs traffic control: %v", err)
		}
		var nc net.Conn
		var err error
		far.Do(func() { nc, err = net.Dial("tcp4", fmt.Sprintf("10.99.0.1:%d", r.h.Addr().Port())) })
		if err != nil {
			t.Fatal(err)
		}
		return nc.(*net.TCPConn)
	})
}
