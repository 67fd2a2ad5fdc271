#!/bin/sh
# Runs a command of docs-agent as the service runs it, as its user and with its settings: sudo docs-agent doctor
set -eu

# Reads the settings as systemd does (man systemd.exec, EnvironmentFile=), and prints them for a shell. Node's --env-file
# and a shell itself would end a value at a "#" or expand a "$".
settings=$(awk -v quote="'" '
  function keep() {
    if (state == "value") sub(/[ \t\r]+$/, "", value)
    if (state != "name" && name ~ /^[A-Za-z_][A-Za-z0-9_]*$/) {
      gsub(quote, quote "\\" quote quote, value)
      print "export " name "=" quote value quote
    }
    name = value = ""; state = "start"
  }
  { text = text $0 "\n" }
  END {
    state = "start"
    for (at = 1; at <= length(text); at++) {
      char = substr(text, at, 1)
      isBlank = char ~ /[ \t\r\n]/
      if (char == "\\" && state != "start" && state != "name" && state != quote) {
        char = substr(text, ++at, 1)
        if (state == "before value") state = "value"
        if (state == "\"" && char !~ /["\\`$\n]/) value = value "\\"
        if (char != "\n" && state != "comment") value = value char
      } else if (state == "comment") { if (char == "\n") state = "start" }
      else if (state == quote || state == "\"") { if (char == state) state = "before value"; else value = value char }
      else if (state == "start") {
        if (char ~ /[#;]/) state = "comment"
        else if (!isBlank) { state = "name"; name = char }
      }
      else if (char == "\n") keep()
      else if (state == "name") {
        if (char == "=") { state = "before value"; sub(/[ \t\r]+$/, "", name) } else name = name char
      }
      else if (state == "before value" && (char == quote || char == "\"")) state = char
      else if (state == "value" || !isBlank) { state = "value"; value = value char }
    }
  }' /etc/docs-agent/settings)
eval "$settings"

cd /opt/docs-agent && exec runuser -u docs-agent -- \
  node_modules/.bin/node --disable-sigusr1 dist/cli.js "$@"
