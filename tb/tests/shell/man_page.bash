#!/usr/bin/env bash
# The man page as mandoc sees it: without complaints but for the date, which an unreleased version does not have.
# usage: man_page.bash PAGE
set -u
if ! command -v mandoc >/dev/null; then
  echo "mandoc is missing; scripts/packages test installs it" >&2
  exit 77 # what ctest takes for skipped
fi
complaints=$(mandoc -T lint "$1" | grep -v 'missing date')
text=$(mandoc -T utf8 "$1" | sed 's/.\x08//g')
[ -z "$complaints" ] || { echo "$complaints" >&2; exit 1; }
for part in 'ringside run [OPTIONS] SCENARIO' '--set KEY=VALUE' 'RINGSIDE_DATA' 'EXIT STATUS'; do
  grep -qF -- "$part" <<<"$text" || { echo "FAILED: the man page does not show $part" >&2; exit 1; }
done
echo "the man page is in order"
