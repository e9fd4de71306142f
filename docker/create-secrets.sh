#!/bin/sh
# Creates random passwords and keys for compose.yaml in docker/secrets, which git ignores. Existing ones stay.
set -eu
cd "$(dirname "$0")"
# Only the owner can enter the folder. In the containers, other users have to read the files.
mkdir -p secrets && chmod 700 secrets && cd secrets

random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

if [ ! -e database_password ]; then
  password=$(random)
  printf %s "$password" >database_password
  printf %s "postgres://petstore:$password@database:5432/petstore" >database_url
fi
if [ ! -e redis_url ]; then
  password=$(random)
  printf 'requirepass %s\n' "$password" >redis.conf
  printf %s "redis://:$password@counters:6379" >redis_url
fi
if [ ! -e webhook_key ]; then
  random >webhook_key
fi
if [ ! -e grafana_password ]; then
  random >grafana_password
fi
chmod 644 ./*
