#!/bin/sh
# Runs a command with a throw-away Postgres beside it:
#
#   scripts/with-postgres.sh go test ./storage/...
#
# The server listens on 127.0.0.1 and on a socket in its own temporary
# directory; both are gone when the command ends. The command finds
#
#   W3HOST_TEST_POSTGRES_URL   a database that tests may fill
#   W3HOST_TEST_PGBIN          where initdb and pg_ctl are, and
#   W3HOST_TEST_PGUSER         who may run them: tests that stop a server in
#                              the middle of things start one of their own
#
# A W3HOST_TEST_POSTGRES_URL that is set already is used as it is. Where
# Postgres is not installed, root installs it (Debian, Ubuntu, Alpine).
#
#   scripts/with-postgres.sh --check   reports by its exit code whether there is a Postgres
set -eu

[ $# -gt 0 ] || { echo "usage: $0 COMMAND [ARGUMENT…]" >&2; exit 2; }
[ -z "${W3HOST_TEST_POSTGRES_URL:-}" ] || { [ "$1" = --check ] && exit 0 || exec "$@"; }

say() { echo "with-postgres: $*" >&2; }
die() { say "$*"; exit 1; }

find_bin() {
	for dir in $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -t/ -k5 -rn) \
		/usr/libexec/postgresql* /opt/homebrew/opt/postgresql*/bin /usr/local/bin /usr/bin; do
		[ -x "$dir/initdb" ] && [ -x "$dir/pg_ctl" ] && { echo "$dir"; return; }
	done
	dirname "$(command -v initdb 2>/dev/null || echo)"
}

bin=$(find_bin)
if [ "$1" = --check ]; then
	[ -x "$bin/initdb" ]
	exit
fi
if [ ! -x "$bin/initdb" ]; then
	[ "$(id -u)" = 0 ] || die "Postgres is not installed; as root: apt-get install postgresql"
	say "installing postgresql"
	if command -v apt-get >/dev/null; then
		export DEBIAN_FRONTEND=noninteractive
		{ apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql; } >&2
	elif command -v apk >/dev/null; then
		apk add --quiet postgresql su-exec >&2
	else
		die "install Postgres by hand, or set W3HOST_TEST_POSTGRES_URL"
	fi
	bin=$(find_bin)
	[ -x "$bin/initdb" ] || die "no initdb after the installation"
fi

# A server refuses to run as root: an unprivileged user runs it.
user=$(id -un)
if [ "$(id -u)" = 0 ]; then
	user=postgres
	id "$user" >/dev/null 2>&1 || user=nobody
fi
as() {
	if [ "$(id -un)" = "$user" ]; then
		"$@"
	elif command -v runuser >/dev/null; then
		(cd / && runuser -u "$user" -- "$@")
	elif command -v setpriv >/dev/null; then
		(cd / && setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups "$@")
	else
		(cd / && su -s /bin/sh "$user" -c 'exec "$0" "$@"' "$@")
	fi
}

room=$(mktemp -d "${TMPDIR:-/tmp}/w3host-pg.XXXXXX")
data=$room/data
cleanup() {
	trap - EXIT
	as "$bin/pg_ctl" -D "$data" -m immediate -w stop >/dev/null 2>&1 || true
	rm -rf "$room"
}
trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
chmod 755 "$room"
[ "$(id -un)" = "$user" ] || chown "$user" "$room"

(umask 022 && echo secret >"$room/password")
as "$bin/initdb" -D "$data" -U w3host -A scram-sha-256 --pwfile="$room/password" -E UTF8 --locale=C >"$room/initdb.log" 2>&1 || { cat "$room/initdb.log" >&2; die "initdb failed"; }
chmod 644 "$room/initdb.log"

# A port that is free now may be taken a moment later: try a few.
started=
for try in 1 2 3 4 5 6 7 8 9 10; do
	port=$((20000 + ($$ * 7 + try * 1013 + $(date +%S | sed 's/^0//') * 97) % 30000))
	as tee "$data/postgresql.auto.conf" >/dev/null <<-CONF
		listen_addresses = '127.0.0.1'
		port = $port
		unix_socket_directories = '$room'
		max_connections = 200
		log_min_messages = fatal
		fsync = off
	CONF
	if as "$bin/pg_ctl" -D "$data" -l "$room/server.log" -w -t 30 start >/dev/null 2>&1; then
		started=1
		break
	fi
done
[ -n "$started" ] || { cat "$room/server.log" >&2; die "the server does not start"; }

export PGPASSWORD=secret
as "$bin/createdb" -h 127.0.0.1 -p "$port" -U w3host w3host_test

unset PGPASSWORD
export W3HOST_TEST_POSTGRES_URL="postgres://w3host:secret@127.0.0.1:$port/w3host_test?sslmode=disable"
export W3HOST_TEST_PGBIN="$bin" W3HOST_TEST_PGUSER="$user"
status=0
"$@" || status=$?
exit "$status"
