#!/bin/sh
# Debian calls this with "configure" and the version before, if there was one; RPM
# with how many versions are installed now.
set -eu
getent passwd w3host >/dev/null ||
	useradd --system --user-group --home-dir /var/lib/w3host --no-create-home --shell /usr/sbin/nologin w3host
install -d -o w3host -g w3host -m 750 /var/lib/w3host
install -d -m 755 /var/lib/w3host/maps /var/lib/w3host/scripts
# It may hold secrets, such as the addresses of webhooks.
chown root:w3host /etc/w3host/config.toml
chmod 640 /etc/w3host/config.toml

command -v systemctl >/dev/null || exit 0
runs() { [ -d /run/systemd/system ]; }
if runs; then systemctl daemon-reload; fi
removed=/var/lib/w3host/.removed # Debian knows the version before also after a removal
if { [ "$1" = 2 ] || [ -n "${2:-}" ]; } && [ ! -e $removed ]; then
	# A restart would end the games that are being played.
	if runs && systemctl is-active --quiet w3host; then
		echo "w3host: the host goes on with the version before. To have it go on with this one, and no game end:"
		echo "  cd /var/lib/w3host && sudo -u w3host w3host ctl upgrade --config /etc/w3host/config.toml"
	fi
	exit 0
fi
rm -f $removed
systemctl enable w3host
if runs; then systemctl start w3host; fi
