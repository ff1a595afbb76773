#!/bin/sh
# Lays out the image's files beside the program: image/ belongs to root there, owned/
# to the program. See the Dockerfile.
set -eu
mkdir -p image/maps image/scripts image/etc/ssl/certs owned/data owned/fdstore
mkdir -p -m 1777 image/tmp # for a database that wants temporary files
cp /etc/ssl/certs/ca-certificates.crt image/etc/ssl/certs/
echo 'w3host:x:65532:65532:w3host:/data:' >image/etc/passwd
