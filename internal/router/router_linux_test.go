package router

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"w3host/internal/testkit"
	"w3host/internal/tier"
)

// device is a router's description, with one connection to the world.
const device = `<?xml version="1.0"?><root xmlns="urn:schemas-upnp-org:device-1-0"><specVersion><major>1</major><minor>0</minor></specVersion>
<device><deviceType>urn:schemas-upnp-org:device:InternetGatewayDevice:1</deviceType><UDN>uuid:1</UDN><deviceList><device>
<deviceType>urn:schemas-upnp-org:device:WANConnectionDevice:1</deviceType><UDN>uuid:2</UDN><serviceList><service>
<serviceType>urn:schemas-upnp-org:service:WANIPConnection:1</serviceType><serviceId>urn:upnp-org:serviceId:WANIPConn1</serviceId>
<SCPDURL>/scpd.xml</SCPDURL><controlURL>/control</controlURL><eventSubURL>/event</eventSubURL></service></serviceList></device></deviceList></device></root>`

// igd is a router that answers to UPnP.
type igd struct {
	http    *httptest.Server
	outside string
	leases  bool // it knows leases
	silent  bool // it does not say its address

	mu    sync.Mutex
	calls []string
}

func (r *igd) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.URL.Path == "/device.xml" {
		_, _ = io.WriteString(w, device)
		return
	}
	action := strings.Trim(req.Header.Get("SOAPAction"), `"`)
	_, action, _ = strings.Cut(action, "#")
	var call struct {
		Body struct {
			Args struct {
				Outside uint16 `xml:"NewExternalPort"`
				Inside  uint16 `xml:"NewInternalPort"`
				Client  string `xml:"NewInternalClient"`
				Lease   int    `xml:"NewLeaseDuration"`
			} `xml:",any"`
		}
	}
	if err := xml.NewDecoder(req.Body).Decode(&call); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a := call.Body.Args
	r.mu.Lock()
	r.calls = append(r.calls, fmt.Sprintf("%s %d to %s:%d for %d", action, a.Outside, a.Client, a.Inside, a.Lease))
	r.mu.Unlock()
	answer := fmt.Sprintf(`<u:%sResponse xmlns:u="urn:schemas-upnp-org:service:WANIPConnection:1"><NewExternalIPAddress>%s</NewExternalIPAddress></u:%[1]sResponse>`, action, r.outside)
	if action == "AddPortMapping" && a.Lease > 0 && !r.leases {
		w.WriteHeader(http.StatusInternalServerError)
		answer = `<s:Fault><faultcode>s:Client</faultcode><faultstring>UPnPError</faultstring><detail><UPnPError xmlns="urn:schemas-upnp-org:control-1-0"><errorCode>725</errorCode><errorDescription>OnlyPermanentLeasesSupported</errorDescription></UPnPError></detail></s:Fault>`
	}
	if action == "GetExternalIPAddress" && r.silent {
		http.Error(w, "", http.StatusNotFound)
		return
	}
	_, _ = fmt.Fprintf(w, `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body>%s</s:Body></s:Envelope>`, answer)
}

// answer answers searches for it.
func (r *igd) answer(t *testing.T, nic string) {
	on, err := net.InterfaceByName(nic)
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.ListenMulticastUDP("udp4", on, &net.UDPAddr{IP: net.IPv4(239, 255, 255, 250), Port: 1900})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	go func() { // ends with the socket
		b := make([]byte, 2048)
		for {
			n, from, err := c.ReadFromUDP(b)
			if err != nil {
				return
			}
			const kind = "urn:schemas-upnp-org:service:WANIPConnection:1"
			if strings.Contains(string(b[:n]), kind) {
				fmt.Fprintf(writer{c, from}, "HTTP/1.1 200 OK\r\nST: %s\r\nUSN: uuid:2::%[1]s\r\nLOCATION: %s/device.xml\r\nCONTENT-LENGTH: 0\r\n\r\n", kind, r.http.URL)
			}
		}
	}()
}

type writer struct {
	c  *net.UDPConn
	to *net.UDPAddr
}

func (w writer) Write(b []byte) (int, error) { return w.c.WriteToUDP(b, w.to) }

// TestOpen: a router is found, forwards the port, and no longer does at the end.
func TestOpen(t *testing.T) {
	testkit.InNamespace(t, func(t *testing.T) {
		for _, line := range []string{
			"ip link add home type veth peer name other", "ip addr add 10.0.0.2/24 dev home", "ip link set home up", "ip link set other up", "ip route add 239.0.0.0/8 dev home",
		} {
			if out, err := exec.Command("sh", "-c", line).CombinedOutput(); err != nil {
				tier.Unable(t, "needs a network namespace to configure: %s: %s", line, out)
			}
		}
		for _, c := range []struct {
			outside, says        string
			leases, kept, silent bool
			asked                []string
		}{
			{"203.0.113.1", "the router forwards the port", true, false, false, []string{"AddPortMapping 6112 to 10.0.0.2:6200 for 3600"}},
			{"100.64.0.9", "no public address", false, false, false, []string{"AddPortMapping 6112 to 10.0.0.2:6200 for 3600", "AddPortMapping 6112 to 10.0.0.2:6200 for 0"}},
			{"203.0.113.1", "the router forwards the port", true, true, false, []string{"AddPortMapping 6112 to 10.0.0.2:6200 for 3600"}}, // for the next process
			{"", "no public address", true, false, false, []string{"AddPortMapping 6112 to 10.0.0.2:6200 for 3600"}},
			{"", "the router forwards the port but does not report its public address", true, false, true, []string{"AddPortMapping 6112 to 10.0.0.2:6200 for 3600"}},
		} {
			r := &igd{outside: c.outside, leases: c.leases, silent: c.silent}
			r.http = httptest.NewServer(r)
			t.Run(c.says, func(t *testing.T) {
				r.answer(t, "home")
				var log testkit.Log
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					Open(ctx, map[uint16]uint16{6112: 6200}, func() bool { return c.kept }, zerolog.New(&log))
				}()
				log.Await(t, "("+c.says+")")
				stop()
				<-ended
				want := append(c.asked, "GetExternalIPAddress 0 to :0 for 0")
				if !c.kept {
					want = append(want, "DeletePortMapping 6112 to :0 for 0")
				}
				if !slices.Equal(r.calls, want) {
					t.Errorf("calls %q, want %q", r.calls, want)
				}
			})
			r.http.Close()
		}
		t.Run("none", func(t *testing.T) {
			var log testkit.Log
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				Open(ctx, map[uint16]uint16{6112: 6112}, func() bool { return false }, zerolog.New(&log))
			}()
			log.Await(t, "(no router answers to UPnP)")
			stop()
			<-ended
		})
	})
}
