package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"w3host/bots"
	"w3host/internal/openfiles"
	"w3host/internal/testkit"
	"w3host/internal/tier"
)

// Ten thousand connections to the window, from a hundred addresses, each with half a request: the host keeps a thousand
// of them and closes the others, answers who sits at the machine, and plays its game to the end with all players.
func TestTenThousandAtTheWindow(t *testing.T) {
	tier.All(t, "opens 10,000 connections")
	const crowd = 10_000
	if most, limited := openfiles.Limit(); limited && most < crowd+500 {
		tier.Unable(t, "needs %d open files, and may have %d", crowd+500, most)
	}
	h := startProcess(t, t.TempDir(), "--listen", "127.0.0.1:0", "--lan=false", "--autostart", "2")
	said, _ := h.await("web console (one-time login link)")["message"].(string)
	window := regexp.MustCompile(`http://[^/]+`).FindString(said)
	_, at, _ := strings.Cut(window, "//")
	h.await("lobby open") // which comes behind it
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	played := make(chan bots.Report, 1)
	go func() {
		report, err := bots.Run(ctx, bots.Options{Addr: h.addr, GameID: 1, Players: 2, Games: 1, Play: 3 * time.Second, LoadTime: 100 * time.Millisecond, NoStart: true})
		if err != nil {
			t.Error(err)
		}
		played <- report
	}()
	h.await("all have loaded")
	var held []net.Conn
	defer func() {
		for _, conn := range held {
			_ = conn.Close()
		}
	}()
	for i := range crowd {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(1+i%100))}, Timeout: 5 * time.Second}
		conn, err := d.Dial("tcp", at)
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		held = append(held, conn)
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHo")
	}
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", h.cmd.Process.Pid))
	if err != nil || len(files) < 100 || len(files) > 1300 {
		t.Errorf("the host has %d files open, %v", len(files), err)
	}
	client := &http.Client{Timeout: 10 * time.Second, Transport: new(http.Transport)}
	defer client.CloseIdleConnections()
	answer, err := client.Get(window + "/readyz")
	if err != nil {
		t.Fatalf("who sits at the machine: %v", err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("who sits at the machine: %s", answer.Status)
	}
	if report := <-played; report.Outcomes[bots.OutcomeLeft] != 2 || len(report.Faults) > 0 {
		t.Errorf("the game: %v %v", report.Outcomes, report.Faults)
	}
	testkit.Eventually(t, "the crowd is put out", func() bool {
		files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", h.cmd.Process.Pid))
		return err == nil && len(files) < 100
	})
}
