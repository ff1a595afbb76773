package dockertest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"w3host/internal/tier"
)

// The package is installed on a Debian with nothing else on it, under its own systemd,
// by the commands of docs/deployment.md. A game is played while it is upgraded and killed; then it
// is stopped, removed and put back.
const packageScript = `
exec >/try.log 2>&1
export DEBIAN_FRONTEND=noninteractive
w3host() { (cd /var/lib/w3host && setpriv --reuid=w3host --regid=w3host --clear-groups /usr/bin/w3host "$@" --config /etc/w3host/config.toml); }
state() { systemctl show w3host --property=ActiveState,ExecMainStatus,NRestarts | sort | tr '\n' ' '; }
await() { for try in $(seq 300); do state | grep -q "$1" && break; sleep 0.1; done; }
journal() { journalctl --unit=w3host --lines=6 --no-pager --output=cat; }
apt-get install -qq /root/w3host.deb
echo "== installed: $(state) $(systemctl is-enabled w3host)"
echo "== config: $(stat -c '%a %U:%G' /etc/w3host/config.toml)"
w3host doctor | sed 's/^/doctor: /'
systemctl reload w3host && echo "== reloaded"
echo '[gaem]' >>/etc/w3host/config.toml
systemctl reload w3host || { echo "== faulty: $(state)"; journal; }
sed -i '$d' /etc/w3host/config.toml
/usr/bin/w3host bots --minutes 0.3 >/bots.log 2>&1 & bots=$!
for try in $(seq 300); do grep -q 'the game runs' /bots.log && break; sleep 0.1; done
systemctl reload w3host && echo "== reloaded in a game"
apt-get install -qq --reinstall /root/w3host.deb
w3host ctl upgrade && sleep 2
echo "== upgraded in a game: $(state)"
kill -9 $(cat /proc/$(systemctl show w3host --property=MainPID --value)/task/*/children) && sleep 2
echo "== host killed: $(state)"
systemctl kill --kill-whom=main --signal=KILL w3host && await 'active .*NRestarts=1' && sleep 2
echo "== holder killed: $(state)"
wait $bots || cat /bots.log
tail --lines=1 /bots.log
w3host ctl exit && await inactive
echo "== told to exit: $(state)"
echo W3HOST_LOBBY_MPA=1 >>/etc/w3host/environment
systemctl start w3host; await failed
echo "== misspelt: $(state)"; journal
sed -i '$d' /etc/w3host/environment
systemctl start w3host
apt-get remove -qq w3host
echo "== removed: $(systemctl is-active w3host)"
apt-get install -qq /root/w3host.deb
echo "== back: $(state) $(systemctl is-enabled w3host)"
poweroff
`

const packageUnit = `[Service]
ExecStart=/bin/sh /try.sh
[Install]
WantedBy=multi-user.target
`

// boot runs a Debian of its own, on a network of its own with one card.
const boot = `
ip link set lo up
ip link add card type veth peer name line
ip addr add 10.99.0.2/24 brd + dev card
ip link set card up && ip link set line up && ip route add default dev card
[ -f /sys/fs/cgroup/cgroup.controllers ] || mount -t cgroup2 cgroup2 /sys/fs/cgroup
exec systemd-nspawn --quiet --directory="$1" --boot --console=pipe --register=no --keep-unit
`

func TestPackageStartsAHost(t *testing.T) {
	tier.All(t, "builds the whole program")
	for _, program := range []string{"debootstrap", "systemd-nspawn", "unshare", "ip"} {
		if _, err := exec.LookPath(program); err != nil {
			tier.Missing(t, "needs %s (apt-get install debootstrap systemd-container iproute2)", program)
		}
	}
	if os.Geteuid() != 0 {
		tier.Unable(t, "needs root to install a package")
	}
	dir := filepath.Join(t.TempDir(), "debian")
	if out, err := exec.CommandContext(t.Context(), "debootstrap", "--variant=minbase", "--include=systemd-sysv,dbus,ca-certificates", "stable", dir).CombinedOutput(); err != nil {
		tier.Unable(t, "needs a Debian to install the package in: %v\n%s", err, out)
	}
	write(t, filepath.Join(dir, "root/w3host.deb"), firstRelease(t)["w3host_9.8.7_"+runtime.GOARCH+".deb"])
	write(t, filepath.Join(dir, "try.sh"), []byte(packageScript))
	write(t, filepath.Join(dir, "etc/systemd/system/try.service"), []byte(packageUnit))
	wants := filepath.Join(dir, "etc/systemd/system/multi-user.target.wants")
	if err := os.MkdirAll(wants, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../try.service", filepath.Join(wants, "try.service")); err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	console, err := exec.CommandContext(ctx, "unshare", "--net", "--mount", "--propagation", "private", "sh", "-ec", boot, "sh", dir).CombinedOutput()
	log, _ := os.ReadFile(filepath.Join(dir, "try.log"))
	if len(log) == 0 {
		tier.Unable(t, "needs systemd in a container: %v\n%s", err, console)
	}
	checkInstalled(t, string(log))
}

func checkInstalled(t *testing.T, log string) {
	t.Helper()
	running := "ActiveState=active ExecMainStatus=0 NRestarts="
	for _, want := range []string{
		"== installed: " + running + "0  enabled", "== config: 640 root:w3host", "== reloaded", "== faulty: " + running + "0", `unknown key "gaem"`,
		"== reloaded in a game", "the host goes on with the version before", "w3host ctl upgrade --config", "The new program goes on", "== upgraded in a game: " + running + "0",
		"== host killed: " + running + "0", "== holder killed: " + running + "1", "all went well: 10 bots played 1 game", "== told to exit: ActiveState=inactive ExecMainStatus=0",
		"== misspelt: ActiveState=failed ExecMainStatus=2 NRestarts=0", "W3HOST_LOBBY_MPA is not a setting",
		"== removed: inactive", "== back: " + running + "0  enabled",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("missing %q", want)
		}
	}
	for line := range strings.Lines(log) {
		if strings.HasPrefix(line, "doctor: ✗") && !strings.Contains(line, "game's scripts") {
			t.Errorf("the doctor finds more than that the game's scripts are missing: %s", line)
		}
	}
	if t.Failed() || !strings.Contains(log, "doctor: ✓") {
		t.Errorf("%s", log)
	}
}
