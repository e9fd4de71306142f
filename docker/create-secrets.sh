#!/bin/sh
# Creates random passwords and keys for compose.yaml in docker/secrets, which git ignores. Existing ones stay.
set -eu
cd "$(dirname "$0")"
# Only the owner can enter the folder. In the containers, other users have to read the files.
mkdir -p secrets && chmod 700 secrets && cd secrets

random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
# A file is whole or missing, so that the next run completes one that was interrupted.
write() {
  printf %s "$2" >"$1.new"
  mv "$1.new" "$1"
}

# A database may already use this password.
if [ ! -s database_password ]; then
  write database_password "$(random)"
fi
if [ ! -s database_url ]; then
  write database_url "postgres://petstore:$(cat database_password)@database:5432/petstore"
fi
if [ ! -s redis_url ]; then
  password=$(random)
  write redis.conf "requirepass $password"
  write redis_url "redis://:$password@counters:6379"
fi
if [ ! -s webhook_key ]; then
  write webhook_key "$(random)"
fi
if [ ! -s grafana_password ]; then
  write grafana_password "$(random)"
fi
chmod 644 ./*
