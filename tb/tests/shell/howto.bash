#!/usr/bin/env bash
# The how-to about images, followed to the letter: its commands are taken from the page. And that about NICs as far as it can be
# without changing Ringside: its device and its guest compile. usage: howto.bash PROGRAM SHARE ROOT
set -eu
program=$1
export SHARE=$2
root=$3
docs=$root/docs
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir bin
ln -s "$program" bin/ringside
export PATH=$PWD/bin:$PATH
cp "$docs"/examples/receiver.* .
sed -n '/^```sh$/,/^```$/{/^```/d;p}' "$docs/howto/bring-an-image.md" >commands
bash -eu commands >printed 2>warnings || { cat warnings >&2; exit 1; }
[ ! -s warnings ] || { cat warnings >&2; exit 1; }
# What the page promises.
for line in '3.00 Mpps   1.54 Gbps   333.3 ns per packet' 'packets: 21,001 offered = 21,000 delivered + 0 dropped + 1 in flight'; do
  grep -qxF "$line" "$docs/howto/bring-an-image.md" || { echo "FAILED: the page does not show: $line" >&2; exit 1; }
  grep -qxF "$line" printed || { cat printed >&2; echo "FAILED: not printed: $line" >&2; exit 1; }
done
echo "the guest of the page receives"

# The tree as the page about NICs wants it: the example is in model/mailbox.
mkdir tree
ln -s "$root/driver" "$root/docs" tree
cp -r "$root/model" tree/model
cp -r "$docs/examples/mailbox" tree/model/mailbox
cd tree
g++ -std=c++20 -Wall -Wextra -Werror -I . -fsyntax-only model/mailbox/mailbox.cc
sed -n '/^```sh$/,/^```$/{/^```/d;p}' docs/howto/add-a-nic.md >commands
bash -eu commands
[ -s guest.elf ] || { echo "FAILED: the page about NICs builds no guest.elf" >&2; exit 1; }
echo "the device and the guest of the page compile"
