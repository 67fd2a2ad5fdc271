#!/bin/sh
# Runs a command of docs-agent as the service runs it, as its user and with its settings: sudo docs-agent doctor
set -eu

# Reads the settings as systemd does. Node's --env-file and a shell would end a value at a "#" or expand a "$".
while IFS= read -r line || [ -n "$line" ]; do
  case $line in '' | '#'* | ';'*) continue ;; esac
  value=${line#*=}
  case $value in
    \"*\" | \'*\') value=${value#?} value=${value%?} ;;
  esac
  export "${line%%=*}=$value"
done </etc/docs-agent/settings

cd /opt/docs-agent && exec runuser -u docs-agent -- \
  node_modules/.bin/node dist/cli.js "$@"
