package dockertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// dockerd is an engine of the tests' own. It has a network, processes and mounts of its own,
// so that it meets nobody else's, and nothing of it is left.
type dockerd struct {
	docker
	dir  string
	unit *exec.Cmd // unshare; its only child is the engine
	pid  string    // of the engine
}

const runDockerd = `
ip link set lo up
mount -t tmpfs none /run
exec dockerd --data-root "$0/data" --exec-root /run/docker --pidfile /run/docker.pid \
	--host "unix://$0/socket" --group root --cgroup-parent "$1" --log-level warn
`

var shared struct {
	sync.Once
	engine *dockerd
	err    error
}

// startDockerd starts it once for all tests; an error says why it does not work here.
func startDockerd() (*dockerd, error) {
	shared.Do(func() { shared.engine, shared.err = newDockerd() })
	return shared.engine, shared.err
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.engine != nil {
		shared.engine.end()
	}
	os.Exit(code)
}

func newDockerd() (d *dockerd, err error) {
	if os.Geteuid() != 0 {
		return nil, fmt.Errorf("dockerd takes root")
	}
	for _, program := range []string{"dockerd", "unshare", "nsenter", "ip", "iptables"} {
		if _, err := exec.LookPath(program); err != nil {
			return nil, fmt.Errorf("%w (apt-get install docker.io iproute2)", err)
		}
	}
	dir, err := os.MkdirTemp("", "dockerd")
	if err != nil {
		return nil, err
	}
	d = &dockerd{dir: dir, docker: docker{tool{name: "docker", dir: dir}}}
	if client := "/usr/bin/docker"; exists(client) { // that of the engine's package, which builds without a plugin
		d.name = client
	}
	d.always = []string{"--host", "unix://" + dir + "/socket"}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	d.unit = exec.Command("unshare", "--net", "--uts", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc",
		"sh", "-ec", runDockerd, dir, d.group())
	d.unit.Stdout, d.unit.Stderr = log, log
	d.unit.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := d.unit.Start(); err != nil {
		return nil, err
	}
	for until := time.Now().Add(patience); d.pid == "" && time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", d.unit.Process.Pid)) // it may be gone
		d.pid = strings.TrimSpace(string(children))
	}
	for until := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		_, err := exec.Command(d.name, append(d.always, "version")...).Output()
		if err == nil {
			return d, nil
		}
		if time.Now().After(until) {
			text, _ := os.ReadFile(log.Name())
			d.end()
			return nil, fmt.Errorf("dockerd does not start: %s", text)
		}
	}
}

// group is the control group of all containers.
func (d *dockerd) group() string { return "/" + filepath.Base(d.dir) }

// end leaves nothing behind.
func (d *dockerd) end() {
	if out, err := exec.Command(d.name, append(d.always, "ps", "--all", "--quiet")...).Output(); err == nil {
		_ = exec.Command(d.name, append(append(d.always, "rm", "--force", "--volumes"), strings.Fields(string(out))...)...).Run()
	}
	_ = d.unit.Process.Kill() // and everything in it
	_ = d.unit.Wait()
	_ = os.RemoveAll(d.dir)
	_ = exec.Command("find", "/sys/fs/cgroup/", "-depth", "-type", "d", "-path", "*"+d.group()+"*", "-exec", "rmdir", "{}", "+").Run()
}

// inside runs a program in the network of the engine, where the published ports are.
func (d *dockerd) inside(program string, args ...string) *exec.Cmd {
	return exec.Command("nsenter", append([]string{"--net=/proc/" + d.pid + "/ns/net", program}, args...)...)
}

// kill ends processes of a container with signal 9: the first one, or its children.
func (d *dockerd) kill(t *testing.T, container string, children bool) {
	t.Helper()
	script := "kill -9 $0"
	if children {
		script = "kill -9 $(cat /proc/$0/task/*/children)"
	}
	if err := d.beside(t, container, script); err != nil {
		t.Fatal(err)
	}
}

// beside runs a script of this machine's programs with the process number of a container as $0.
func (d *dockerd) beside(t *testing.T, container, script string) error {
	t.Helper()
	pid, err := d.try(t, "inspect", "--format", "{{.State.Pid}}", container)
	if err == nil && pid == "0" {
		err = fmt.Errorf("%s does not run", container)
	}
	if err != nil {
		return err
	}
	_, err = tool{name: "nsenter"}.try(t, "--target", d.pid, "--pid", "--mount", "sh", "-ec", script, pid)
	return err
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
