#!/usr/bin/env bash
# Runs a file system as a container engine does with --read-only, --tmpfs /tmp and --network host (as root):
#   run-image.sh ROOT USER FOLDER VOLUME DATA NAME=VALUE... COMMAND...
# The command runs in FOLDER of ROOT, as USER, as process 1; DATA is mounted at VOLUME and can be written to.
set -euo pipefail
exec unshare --mount --pid --fork --kill-child bash -euo pipefail -c '
  root=$1 user=$2 folder=$3 volume=$4 data=$5
  shift 5
  mount --bind "$root" "$root"
  mount --rbind /dev "$root/dev"
  mount -t proc proc "$root/proc"
  mount -t tmpfs tmpfs "$root/tmp"
  mount --bind "$data" "$root$volume"
  mount -o remount,bind,ro "$root"
  exec chroot --userspec="$user" "$root" env --ignore-environment --chdir="$folder" "$@"
' run-image "$@"
