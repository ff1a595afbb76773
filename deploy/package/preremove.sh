#!/bin/sh
# Debian calls this with "remove" or "upgrade", RPM with how many versions stay. What
# is in /var/lib/w3host stays in any case.
set -eu
case "$1" in
remove | deconfigure | 0) ;;
*) exit 0 ;;
esac
if [ -d /var/lib/w3host ]; then touch /var/lib/w3host/.removed; fi
command -v systemctl >/dev/null || exit 0
if [ -d /run/systemd/system ]; then systemctl stop w3host; fi
systemctl disable w3host
