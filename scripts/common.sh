# Sourced by the other scripts: goes to the repository's root, and gives root's rights back. ringside_packages=test asks for what
# scripts/packages test installs.
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Only packages need root. Started through sudo, the rest runs as the owner of the clone, so that everything built here
# stays theirs.
if [ "$(id -u)" -eq 0 ] && [ -n "${SUDO_USER:-}" ] && [ "$SUDO_USER" != root ] &&
  [ "$(stat -c %U .)" = "$SUDO_USER" ]; then
  scripts/packages "${ringside_packages:-}"
  exec sudo -u "$SUDO_USER" -H -- "scripts/$(basename "$0")" "$@"
fi
