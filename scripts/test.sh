#!/bin/sh
# The tests of the project, in two tiers (docs/contributing.md):
#
#   scripts/test.sh                     the quick tier, which CI runs: linters, all tests that need no real time,
#                                       the race detector where it can find something, a dozen real processes
#   scripts/test.sh --all               everything: browsers, Prometheus, network namespaces, Avahi, w3gjs, containers,
#                                       packages, a release for three systems, every process, long fuzzing
#   scripts/test.sh ./lobby/...         only these packages, with the race detector and without linters
#   scripts/test.sh --all ./host/...    the same with the tests of the full tier
#
# As root on Debian it installs what is missing. Elsewhere it runs without what is missing,
# and says at the end what it skipped; with CI set it fails instead.
set -eu
cd "$(dirname "$0")/.."

# The rest runs beside a Postgres of its own, where there is one or root can install it.
can_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; }
if [ -z "${W3HOST_TEST_BEGAN:-}" ]; then
	W3HOST_TEST_BEGAN=$(date +%s)
	export W3HOST_TEST_BEGAN
	if can_install || scripts/with-postgres.sh --check; then
		exec scripts/with-postgres.sh "scripts/test.sh" "$@"
	fi
fi

all=
[ "${1:-}" != --all ] || { all=1; shift; }

# Stages and their times.
times=
stage="start Postgres"
stage_began=$W3HOST_TEST_BEGAN
# close_stage ends a stage and begin starts the next.
close_stage() {
	[ -z "$stage" ] || times="$times$(printf '%6d s  %s' $(($(date +%s) - stage_began)) "$stage")
"
	stage=
}
begin() {
	close_stage
	stage=$1
	stage_began=$(date +%s)
	printf '\n== %s\n' "$stage"
}

# What could not run, one line each with the way out.
skipped=
skip() {
	[ -z "${CI:-}" ] || { echo "$1" >&2; exit 1; }
	skipped="$skipped  $1
"
}

have() {
	for program; do
		command -v "$program" >/dev/null 2>&1 || return 1
	done
}

missing_packages() {
	have cc || echo gcc libc6-dev
	[ -n "${W3HOST_TEST_POSTGRES_URL:-}" ] || echo postgresql
	[ -n "$all" ] || return 0
	have smpq || echo smpq
	have nginx || echo nginx
	have caddy || echo caddy
	have avahi-browse avahi-daemon dbus-daemon ip || echo avahi-daemon avahi-utils dbus iproute2
	have chromium || echo chromium
	have promtool prometheus || echo prometheus
	have node npm || echo nodejs npm
	have buildah || echo buildah ca-certificates
	have dockerd || echo docker.io iproute2
	have debootstrap systemd-nspawn || echo debootstrap systemd-container
}

install_missing() {
	missing=$(missing_packages)
	[ -n "$missing" ] || return 0
	if ! can_install; then
		for package in $missing; do
			case $package in
			libc6-dev) ;;
			gcc) skip "the race detector needs a C compiler: apt-get install gcc libc6-dev" ;;
			postgresql) skip "tests with a real Postgres: apt-get install postgresql" ;;
			*) skip "tests that need $package: apt-get install $package" ;;
			esac
		done
		return 0
	fi
	begin "install $(echo $missing)"
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
	can_install && have dockerd || { skip "tests of containers: Docker Compose 2.24 or later"; return 0; }
	begin "install docker compose"
	temporary=$(mktemp -d)
	mkdir -p "$temporary/lists/partial"
	archive=$(apt-get indextargets --format '$(REPO_URI)' | grep -m 1 '/debian/*$')
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive trixie main" >"$temporary/sources.list"
	newer() { apt-get -qq -o Dir::Etc::SourceList="$temporary/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$temporary/lists" -o Dir::Cache="$temporary" "$@"; }
	newer update
	(cd "$temporary" && newer download docker-compose 2>/dev/null && dpkg-deb -x docker-compose_*.deb .)
	install -D "$temporary/usr/libexec/docker/cli-plugins/docker-compose" /usr/local/lib/docker/cli-plugins/docker-compose
	rm -rf "$temporary"
}

# Linters compile with the flags of the tests, so that nothing is compiled twice. A fault
# does not keep the tests from running.
lint() {
	begin "gofumpt, gofmt"
	# gofumpt aligns some long lists as an older gofmt did: a file has to please both.
	unformatted=$(go tool -modfile=tools/go.mod gofumpt -l . && gofmt -l .)
	[ -z "$unformatted" ] || { echo "not formatted (gofumpt -w, gofmt -w): $unformatted" >&2; failed=1; }
	begin "go vet"
	go vet ./... || failed=1
	go vet -C tools ./... || failed=1
	begin "staticcheck"
	go tool -modfile=tools/go.mod staticcheck ./... || failed=1
	begin "gocognit"
	# No function above cognitive complexity 25: it prints those, and fails.
	go tool -modfile=tools/go.mod gocognit -over 25 -ignore '_test\.go|testdata' . || failed=1
}

# A release for three systems; a test makes that of this machine twice more and compares.
release() {
	begin "a release for three systems"
	dist=$(mktemp -d)
	VERSION=v0.0.0 SOURCE_DATE_EPOCH=1700000000 DIST=$dist scripts/release.sh linux/amd64 windows/amd64 darwin/arm64
	rm -rf "$dist"
}

# go_test runs tests. Vet has its own stage. Tests that wait do not occupy a processor, so
# that more of them run at the same time than there are processors.
failed=
go_test() {
	go test -vet=off -shuffle=on -parallel 8 -p $(($(nproc) + 1)) -timeout 30m "$@" </dev/null || failed=1
}

# raced prints the columns of internal/archtest/race.txt for the packages whose lines match a
# condition of awk.
raced() { awk "!/^#/ && ($1) { print $2 }" internal/archtest/race.txt; }

whole='NF == 1 || $2 == "-skip"' # all their tests run with the race detector, except those skipped

# without_race runs the tests that do not run with the race detector.
without_race() {
	raced "$whole" '"w3host/" $1' >"$lines"
	# shellcheck disable=SC2046 # a list of packages
	go_test $(go list ./... | grep -vxFf "$lines")
	# shellcheck disable=SC2046
	go_test -run "$(skipped_tests)" $(raced '$2 == "-skip"' '"./" $1')
}

# skipped_tests prints one pattern for the tests of all packages that race.txt skips.
skipped_tests() { raced '$2 == "-skip"' '$3' | paste -sd '|'; }

# with_race runs the tests that race.txt lists with the race detector.
with_race() {
	# shellcheck disable=SC2046 # a list of packages
	go_test -race -skip "$(skipped_tests)" $(raced "$whole" '"./" $1')
	raced '$2 == "-run"' '$0' >"$lines"
	while read -r package flags; do
		# shellcheck disable=SC2086 # a list of flags
		go_test -race "./$package" $flags
	done <"$lines"
}

# fuzz runs each fuzz target for a while.
fuzz() {
	grep -rl --include='*_test.go' '^func Fuzz' . | while read -r file; do
		sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' "$file" | while read -r target; do
			go test -vet=off -run '^$' -fuzz "^$target\$" -fuzztime 20s -fuzzminimizetime 2s "./$(dirname "$file")" </dev/null || exit 1
		done || exit 1
	done || failed=1
}

run_tests() {
	if [ $# -gt 0 ]; then
		begin "go test -race $*"
		go_test -race "$@"
	elif [ -n "$all" ]; then
		begin "all tests with the race detector"
		go_test -race -timeout 60m ./...
		begin "long tests"
		W3HOST_TEST_LONG=1 go_test ./mapxfer ./formats/replay ./host/survive
		begin "fuzzing"
		fuzz
	elif have cc; then
		begin "tests without the race detector"
		without_race
		begin "tests with the race detector"
		with_race
	else
		begin "all packages"
		go_test ./...
	fi
}

finish() {
	status=$?
	trap - EXIT
	close_stage
	printf '\nTime of each stage:\n%s' "$times"
	if [ -s "$W3HOST_TEST_SKIPPED" ]; then
		skipped="$skipped$(sed 's/^/  /' "$W3HOST_TEST_SKIPPED" | sort -u)
"
	fi
	rm -f "$W3HOST_TEST_SKIPPED" "$lines"
	[ -z "$skipped" ] || printf 'SKIPPED:\n%s' "$skipped"
	[ $status = 0 ] && [ -z "$failed" ] && echo "PASS" || { echo "FAIL"; [ $status != 0 ] || status=1; }
	exit $status
}

lines=$(mktemp)
W3HOST_TEST_SKIPPED=$(mktemp)
export W3HOST_TEST_SKIPPED
trap finish EXIT
install_missing
if [ -n "$all" ]; then
	install_compose
	export W3HOST_TEST_ALL=1
fi
if [ -n "${CI:-}" ] || can_install; then
	export W3HOST_TEST_STRICT=1
fi
if [ $# -eq 0 ]; then
	lint
	[ -z "$all" ] || release
fi
run_tests "$@"
