#!/bin/sh
# Runs a command of docs-agent as the service runs it, as its user and with its settings: sudo docs-agent doctor
cd /opt/docs-agent && exec runuser -u docs-agent -- \
  node_modules/.bin/node --env-file=/etc/docs-agent/settings dist/cli.js "$@"
