#!/bin/sh
# Every test of the project, as CI runs it: formatting, vet, staticcheck,
# cognitive complexity, a release for three systems, then all tests with the race
# detector, against a Postgres of their own. What is missing is installed when this
# runs as root on Debian.
#
#   scripts/test.sh               everything
#   scripts/test.sh ./lobby/...   only these packages (and no linters)
set -eu
cd "$(dirname "$0")/.."

began=$(date +%s)
say() { printf '\n== %s (after %d s)\n' "$*" $(($(date +%s) - began)); }

# The race detector needs a C compiler; some tests want an independent MPQ packer,
# another responder of multicast DNS (in a network of its own), look at the pages in a browser,
# test the alerts with Prometheus, deploy the image on an engine of their own or install the
# package, and say so when they are skipped. With CI set, those with a browser and with
# Prometheus fail instead.
install_missing() {
	missing=
	command -v cc >/dev/null 2>&1 || missing="$missing gcc libc6-dev"
	command -v smpq >/dev/null 2>&1 || missing="$missing smpq"
	command -v avahi-browse >/dev/null 2>&1 && command -v avahi-daemon >/dev/null 2>&1 && command -v dbus-daemon >/dev/null 2>&1 &&
		command -v ip >/dev/null 2>&1 || missing="$missing avahi-daemon avahi-utils dbus iproute2"
	command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
	command -v promtool >/dev/null 2>&1 && command -v prometheus >/dev/null 2>&1 || missing="$missing prometheus"
	command -v buildah >/dev/null 2>&1 || missing="$missing buildah ca-certificates"
	command -v dockerd >/dev/null 2>&1 || missing="$missing docker.io iproute2"
	command -v debootstrap >/dev/null 2>&1 && command -v systemd-nspawn >/dev/null 2>&1 || missing="$missing debootstrap systemd-container"
	[ -n "$missing" ] || return 0
	if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
		echo "not installed:$missing" >&2
		return 0
	fi
	say "installing$missing"
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq
	policy=/usr/sbin/policy-rc.d # what Debian asks before it starts the services of packages
	[ -e $policy ] && policy= || { printf '#!/bin/sh\nexit 101\n' >$policy && chmod 755 $policy; }
	status=0
	# shellcheck disable=SC2086 # a list of packages
	apt-get install -y -qq --no-install-recommends $missing >/dev/null || status=$?
	[ -z "$policy" ] || rm -f $policy
	return $status
}

# Compose is too old in Debian 12: then it is that of Debian 13, as a plugin of docker.
install_compose() {
	case $(docker compose version --short 2>/dev/null) in 2.2[4-9]* | 2.[3-9]* | v2.2[4-9]* | v2.[3-9]* | [3-9].*) return ;; esac
	[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && command -v dockerd >/dev/null 2>&1 || return 0
	say "installing docker compose"
	room=$(mktemp -d)
	mkdir -p "$room/lists/partial"
	archive=$(apt-get indextargets --format '$(REPO_URI)' | grep -m 1 '/debian/*$')
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive trixie main" >"$room/sources.list"
	newer() { apt-get -qq -o Dir::Etc::SourceList="$room/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$room/lists" -o Dir::Cache="$room" "$@"; }
	newer update && (cd "$room" && newer download docker-compose 2>/dev/null && dpkg-deb -x docker-compose_*.deb .) &&
		install -D "$room/usr/libexec/docker/cli-plugins/docker-compose" /usr/local/lib/docker/cli-plugins/docker-compose || echo "not installed: docker compose" >&2
	rm -rf "$room"
}

# As a release is built, so that nothing is compiled twice for it.
lint() (
	export CGO_ENABLED=0 GOFLAGS=-trimpath
	say "gofumpt, gofmt, go vet, staticcheck, gocognit"
	# gofumpt aligns some long lists as an older gofmt did: a file has to please both.
	unformatted=$(go tool -modfile=tools/go.mod gofumpt -l . && gofmt -l .)
	[ -z "$unformatted" ] || { echo "not formatted (gofumpt -w, gofmt -w): $unformatted" >&2; exit 1; }
	go vet ./...
	go vet -C tools ./...
	go tool -modfile=tools/go.mod staticcheck ./...
	# No function above cognitive complexity 25: it prints those, and fails.
	go tool -modfile=tools/go.mod gocognit -over 25 -ignore '_test\.go|testdata' .
)

# A release for three systems; a test makes that of this machine twice more and compares.
release() {
	dist=$(mktemp -d)
	VERSION=v0.0.0 SOURCE_DATE_EPOCH=1700000000 DIST=$dist scripts/release.sh linux/amd64 windows/amd64 darwin/arm64
	rm -rf "$dist"
}

# w3gjs, which npm fetches, judges the replays that the tests write.
judge_replays() {
	if command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1; then
		export W3HOST_TEST_W3GJS=1
	else
		say "SKIPPED: replays are not judged by w3gjs, because there is no node with npm"
	fi
}

test_all() {
	say "go test -race -shuffle=on $*"
	# Many tests wait for time to pass, so that a processor each would leave half of it idle.
	CGO_ENABLED=1 scripts/with-postgres.sh go test -race -shuffle=on -timeout 20m -p $(($(nproc) + 1)) "$@"
}

install_missing
install_compose
judge_replays
if [ $# -eq 0 ]; then
	lint
	release
	set -- ./...
fi
test_all "$@"
