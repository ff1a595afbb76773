#!/bin/sh
# Draws the pictures of the documents anew, out of a real host, real players and a real
# replay: docs/pictures. Linux only; needs Chromium.
set -eu
cd "$(dirname "$0")/.."
mkdir -p docs/pictures
go test -count=1 -run 'Pictures$|GamePicture$' ./cmd/w3host -pictures "$PWD/docs/pictures"
