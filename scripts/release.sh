#!/bin/sh
# Makes a release in the folder dist: archives for Linux, Windows and macOS, packages for
# Debian and Fedora, images, a bill of materials, checksums. Needs Linux and Go.
#
#   scripts/release.sh                             all of it
#   scripts/release.sh linux/amd64 windows/amd64   only for these systems
#
# VERSION (v1.2.3), SOURCE_DATE_EPOCH and DIST may be set. The same source, version, time
# and Go make the same bytes, in any folder.
set -eu
umask 022
cd "$(dirname "$0")/.."

VERSION=${VERSION:-$(git describe --tags 2>/dev/null || echo "v0.0.0-$(git rev-list --count HEAD).$(git rev-parse --short=12 HEAD)")}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
dist=$(mkdir -p "${DIST:-dist}" && cd "${DIST:-dist}" && pwd)
export VERSION SOURCE_DATE_EPOCH CGO_ENABLED=0 GOFLAGS=-trimpath\ -buildvcs=false TZ=UTC LC_ALL=C
host=$(go env GOHOSTOS)/$(go env GOHOSTARCH)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf '== %s\n' "$*"; }

build() { # SYSTEM/ARCHITECTURE
	out=$work/bin/$1/w3host
	case $1 in windows/*) out=$out.exe ;; esac
	say "build for $1"
	# As in the Dockerfile: the time zones are in the program.
	GOOS=${1%/*} GOARCH=${1#*/} go build -tags timetzdata -ldflags "-s -w -X main.version=$VERSION" -o "$out" ./cmd/w3host
}

# papers writes what comes with every program: documents, pages and man pages of the commands.
papers() {
	say "documents"
	go test -count=1 -run '^TestCLIDocs$' ./cmd/w3host -cli-docs "$work/cli" >/dev/null
	mkdir -p "$work/papers"
	cp -r README.md CHANGELOG.md LICENSE config.toml.example docs "$work/papers"
	mkdir "$work/papers/docs/cli" && cp "$work"/cli/*.md "$work/papers/docs/cli"
}

archive() { # SYSTEM/ARCHITECTURE
	name=w3host_${VERSION#v}_${1%/*}_${1#*/}
	folder=$work/archive/$name
	mkdir -p "$folder"
	cp -r "$work/papers/." "$work/bin/$1/." "$folder"
	case $1 in
	windows/*) form=zip ;;
	*) form=tar.gz && cp -r "$work/cli/man" "$folder" ;;
	esac
	"$work/release" archive "$dist/$name.$form" "$folder"
}

packages() { # ARCHITECTURE
	ROOT=$work/root/$1
	mkdir -p "$ROOT/usr/bin" "$ROOT/usr/lib/systemd/system" "$ROOT/usr/share/man/man1" "$ROOT/usr/share/doc/w3host"
	cp "$work/bin/linux/$1/w3host" "$ROOT/usr/bin"
	sed 's,/usr/local/,/usr/,' deploy/w3host.service >"$ROOT/usr/lib/systemd/system/w3host.service"
	cp "$work"/cli/man/* "$ROOT/usr/share/man/man1" && gzip -n9 "$ROOT"/usr/share/man/man1/*
	cp -r "$work"/papers/docs/. "$work/papers/README.md" "$work/papers/CHANGELOG.md" "$ROOT/usr/share/doc/w3host"
	cp LICENSE "$ROOT/usr/share/doc/w3host/copyright"
	completion bash "$ROOT/usr/share/bash-completion/completions/w3host"
	completion zsh "$ROOT/usr/share/zsh/site-functions/_w3host"
	completion fish "$ROOT/usr/share/fish/vendor_completions.d/w3host.fish"
	find "$ROOT" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
	for form in deb rpm; do
		ARCH=$1 ROOT=$ROOT "$work/nfpm" package --config deploy/package/nfpm.yaml --packager $form --target "$dist" >/dev/null
	done
}

completion() { # SHELL FILE
	mkdir -p "$(dirname "$2")"
	"$work/bin/$host/w3host" completion "$1" >"$2"
}

# image makes the last stage of the Dockerfile from the program that is there already.
image() { # ARCHITECTURE
	context=$work/image/$1 tag=w3host:${VERSION#v}
	mkdir -p "$context/image"
	cp "$work/bin/linux/$1/w3host" "$context/image"
	(cd "$context" && "$OLDPWD/deploy/image.sh")
	sed -n '/^FROM scratch/,$ { s, --from=build\(.*\) /src/,\1 ,; p }' Dockerfile >"$context/Dockerfile"
	arch=$1
	set -- buildah --root "$work/buildah" --runroot "$work/buildah-run" --storage-driver vfs
	"$@" bud --isolation chroot --format docker --timestamp "$SOURCE_DATE_EPOCH" --platform "linux/$arch" --identity-label=false --tag "$tag" "$context" >/dev/null
	"$@" push --quiet "$tag" "docker-archive:$work/image/$arch.tar:$tag" >/dev/null
	"$work/release" image "$dist/w3host_${VERSION#v}_image_$arch.tar.gz" "$work/image/$arch.tar"
}

[ $# -gt 0 ] || set -- linux/amd64 linux/arm64 windows/amd64 windows/arm64 darwin/amd64 darwin/arm64
rm -f "$dist"/w3host* "$dist/SHA256SUMS"
(cd tools && go build -o "$work/release" ./release && go build -o "$work/nfpm" github.com/goreleaser/nfpm/v2/cmd/nfpm)
papers
for target in $host "$@"; do
	[ -d "$work/bin/$target" ] || build "$target"
done
for target in "$@"; do
	archive "$target"
	case $target in
	linux/*)
		say "packages and image for $target"
		packages "${target#*/}"
		if command -v buildah >/dev/null; then
			image "${target#*/}"
		else
			say "SKIPPED: no image, because there is no buildah (apt-get install buildah)"
		fi
		;;
	esac
done
"$work/release" sbom "$dist/w3host_${VERSION#v}.cdx.json" "$work/bin/$host/w3host"*
(cd "$dist" && sha256sum w3host* >"$work/sums" && mv "$work/sums" SHA256SUMS)
say "$dist:"
ls -l "$dist"
