#!/usr/bin/env bash
# The Debian package, made and looked at: what a user needs is in it, with the right owner and modes, and nothing of the build.
# usage: package.bash BUILD
set -eu
cd "$1"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if ! command -v dpkg-shlibdeps >/dev/null || ! command -v file >/dev/null; then
  echo "dpkg-dev or file is missing; scripts/packages test installs them" >&2
  exit 77 # what ctest takes for skipped
fi
cpack -G DEB -B "$scratch" -D CPACK_PACKAGE_CONTACT="A Tester <tester@example.org>" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
package=$(echo "$scratch"/ringside_*.deb)
failures=0
fail() {
  echo "FAILED: $*" >&2
  failures=$((failures + 1))
}

dpkg-deb --contents "$package" >"$scratch/contents"
while read -r mode path; do
  grep -qE "^$mode root/root .* \./usr/$path( ->.*)?\$" "$scratch/contents" || fail "not in the package: $mode $path"
done <<'LIST'
-rwxr-xr-x bin/ringside
-rw-r--r-- share/man/man1/ringside.1.gz
-rw-r--r-- share/bash-completion/completions/ringside
-rw-r--r-- share/zsh/vendor-completions/_ringside
-rw-r--r-- share/fish/vendor_completions.d/ringside.fish
-rw-r--r-- share/doc/ringside/copyright
-rw-r--r-- share/doc/ringside/changelog.gz
-rw-r--r-- share/doc/ringside/changelog.Debian.gz
-rw-r--r-- share/doc/ringside/docs/tutorial.md
-rw-r--r-- share/ringside/schemas/report.json
-rw-r--r-- share/ringside/scenarios/mlx5e-xdp-drop.toml
-rw-r--r-- share/ringside/hardware/cpu/xeon-8380.toml
-rw-r--r-- share/ringside/src/driver/image.toml
-rw-r--r-- share/ringside/src/driver/counters.toml
-rw-r--r-- share/ringside/src/model/guest/contract.h
lrwxrwxrwx share/ringside/images/mlx5e-x86-64-gcc-none.elf
LIST
grep -qE 'CMakeLists|test-images|/tests/' "$scratch/contents" && fail "parts of the build are in the package"
links=$(grep -c '^l.*\.elf ->' "$scratch/contents")
images=$(grep -c '^-.*\.elf$' "$scratch/contents")
[ "$links" -eq "$images" ] || fail "$links names for $images images"

# It runs from where it is unpacked, too: data and images are found beside it, whatever the folder is called.
dpkg-deb --extract "$package" "$scratch/root"
"$scratch/root/usr/bin/ringside" run mlx5e-xdp-drop --quiet --set run.packets=200 --set run.warmup=0 --out "$scratch/report.json" ||
  fail "the packaged program does not run"
for part in 'Depends: g\+\+,' 'Recommends:.*g\+\+-aarch64-linux-gnu' 'libunicorn' 'Maintainer: A Tester <tester@example\.org>'; do
  dpkg-deb --info "$package" | grep -qE "$part" || fail "control file without $part"
done
[ "$failures" -eq 0 ] || exit 1
echo "the package has what it should"
