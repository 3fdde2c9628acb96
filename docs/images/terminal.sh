#!/usr/bin/env bash
# Takes docs/images/terminal.png: the program on the demo library, in xterm on a display that nobody
# sees. Needs Xvfb, xterm, xwininfo and ImageMagick (Debian: xvfb xterm x11-utils imagemagick).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
cargo build --quiet --package claw --package claw-testkit
target=${CARGO_TARGET_DIR:-target}
out=$PWD/docs/images/terminal.png
work=$(mktemp -d)
trap 'kill "${screen:-}" 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir -p "$work/bin"
cp "$target/debug/claw" "$work/bin/"
"$target/debug/session-corpus" demo "$work/demo" >/dev/null
cat >"$work/show" <<'SHOW'
run() { printf '\e[32m$\e[0m \e[1m%s\e[0m\n' "$*"; "$@"; echo; }
run claw sessions
run claw sessions usage --by model
run claw sessions check
run claw sessions tree 0878 --width 100
SHOW
Xvfb :77 -screen 0 2200x1600x24 >/dev/null 2>&1 &
screen=$!
sleep 1
cd "$work"
DISPLAY=:77 PATH=$work/bin:$PATH CLAUDE_CONFIG_DIR=demo/.claude xterm -T claw-picture -geometry 108x43+0+0 \
  -fa 'DejaVu Sans Mono' -fs 11 -b 14 -bw 0 -bg '#1b1e24' -fg '#d8dbe2' \
  -xrm 'XTerm*color1:#e06c75' -xrm 'XTerm*color2:#98c379' -xrm 'XTerm*color3:#e5c07b' \
  -xrm 'XTerm*color6:#56b6c2' -xrm 'XTerm*scrollBar:false' -xrm 'XTerm*utf8:1' \
  -e bash -c '. ./show; printf "\e[?25l"; sleep 30' &
terminal=$!
sleep 5
window=$(DISPLAY=:77 xwininfo -root -tree | awk '/"claw-picture"/ {print $1; exit}')
DISPLAY=:77 import -window "$window" -strip "$out"
kill "$terminal"
echo "$out"
