package w3gs

import (
	"errors"
	"testing"
)

var lagGoldens = []golden{
	{name: "StartLag", dir: FromHost, want: &StartLag{Laggers: []Lagger{{PID: 3}, {PID: 4, LagMillis: 61500}}}},
	{name: "StopLag", dir: FromHost, want: &StopLag{Lagger{PID: 3, LagMillis: 2750}}},
	{name: "DropReq", dir: FromClient, want: &DropReq{}},
}

func TestStartLagCount(t *testing.T) {
	if err := new(StartLag).Decode([]byte{2, 3, 0, 0, 0, 0, 4}); !errors.Is(err, ErrCount) {
		t.Errorf("got %v, want ErrCount", err)
	}
}
