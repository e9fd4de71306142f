#!/bin/bash
# Succeeds if the service in this container is ready. Fails after two seconds at the latest, so that checks never pile up.
# Starting Node for each check would take ten times the processor time.
exec timeout 2 bash -c '
  exec 3<>"/dev/tcp/127.0.0.1/${PORT:-3000}" || exit 1
  printf "GET /health/ready HTTP/1.0\r\n\r\n" >&3
  read -r _ status _ <&3
  [ "$status" = 200 ]
'
