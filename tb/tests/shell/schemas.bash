#!/usr/bin/env bash
# Every kind of document against its JSON Schema, which knows no keys but its own: runs that end in each way, on each bus, and
# what is made from reports. usage: schemas.bash PROGRAM SHARE
set -u
program=$1
share=$2
if ! /usr/bin/python3 -c 'import jsonschema' 2>/dev/null; then
  echo "python3-jsonschema is missing; scripts/packages test installs it" >&2
  exit 77 # what ctest takes for skipped
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0
fail() {
  echo "FAILED: $*" >&2
  failures=$((failures + 1))
}

# valid SCHEMA DOCUMENT
valid() {
  is_valid "$@" || fail "$2: $(head -n 3 errors)"
}
is_valid() { /usr/bin/python3 -m jsonschema --instance "$2" "$share/schemas/$1.json" >errors 2>&1; }

# run NAME STATUS ARGUMENT... : a short run of which NAME.json is the report
run() {
  local name=$1 status=$2 got=0
  shift 2
  "$program" run "$@" --quiet --out "$name.json" --set run.warmup=0 >log 2>&1 || got=$?
  [ "$got" -eq "$status" ] || fail "$name: exit status $got, expected $status: $(cat log)"
  valid report "$name.json"
}

short=(--set run.packets=500 --set run.converge=0)
run plain 0 mlx5e-xdp-drop "${short[@]}"
run flag 0 mlx5e-xdp-drop-zeroed "${short[@]}"
run tcp 0 mlx5e-tcp "${short[@]}"
run axi 0 stmmac-tcp "${short[@]}"
run cores 0 stmmac-tcp-two-cores "${short[@]}"
run capture 0 mlx5e-xdp-drop --set traffic.pcap=captures/web-browsing-2010.pcap
run time 0 mlx5e-xdp-drop --set run.time="20 us"
run stale 0 stmmac-tcp "${short[@]}" --set driver.rx_split_header=true --set driver.reader=verify \
  --set 'driver.flags=["-DCONFIG_INIT_ON_ALLOC_DEFAULT_ON", "-DSTMMAC_FAULT=STMMAC_FAULT_SPH_SYNC_WINDOW"]'
grep -q '"stale_loads"' stale.json || fail "stale.json has no stale loads to look at"
run broken 3 mlx5e-xdp-drop "${short[@]}" --set run.watchdog="1 ns"
timeout --signal=INT 1 "$program" run mlx5e-xdp-drop --quiet --out interrupted.json --set run.packets=0 --set run.converge=0
valid report interrupted.json
grep -q '"stop_reason": "interrupted"' interrupted.json || fail "interrupted.json was not interrupted"

"$program" compare plain.json flag.json --format json --out comparison.json || fail "compare"
valid comparison comparison.json
"$program" compare plain.json tcp.json capture.json --format json --out comparison-of-unlike.json || fail "compare of unlike runs"
valid comparison comparison-of-unlike.json

"$program" reproduce mlx5-legacy --out table >log 2>&1 || fail "reproduce: $(cat log)"
valid reproduction table.json
# A schema that accepts anything would have passed all of that.
sed 's/"fingerprint"/"finger_print"/' plain.json >misspelt.json
is_valid report misspelt.json && fail "a misspelt key is accepted"

[ "$failures" -eq 0 ] || exit 1
echo "every document has the form of its schema"
