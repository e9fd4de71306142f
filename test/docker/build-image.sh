#!/usr/bin/env bash
# Builds docker/Dockerfile as Docker does, without a container engine (as root, with buildah and debootstrap):
#   build-image.sh FOLDER [CONTEXT]
# or the Dockerfile of CONTEXT, another folder.
# FOLDER/root becomes the file system of the image, FOLDER/image.json its configuration.
#
# No image registry is needed: Debian, the Node of node_modules and the npm of this machine stand in for the base image.
# The base is made once; it is kept, with buildah's storage, in XDG_CACHE_HOME or /var/tmp.
set -euo pipefail
folder=$(realpath "$1")
home=$(realpath "$(dirname "$0")/../..")
context=$(realpath "${2:-$home}")
dockerfile=$home/docker/Dockerfile
ignorefile=$dockerfile.dockerignore
if [[ $context != "$home" ]]; then
  dockerfile=$context/Dockerfile
  ignorefile=$context/.dockerignore
fi
cache=${XDG_CACHE_HOME:-/var/tmp}/petstore-image
# An own storage, so that nobody else builds on our base by its name.
buildah() { command buildah --root "$cache/storage" --runroot "$cache/run" "$@"; }

# node:26.10.0-bookworm-slim
base=$(awk '$1 == "FROM" { print $2; exit }' "$dockerfile")
version=${base#node:}
suite=${version#*-}
suite=${suite%-slim}
version=v${version%%-*}

mkdir -p "$cache"
# One at a time: two builds would make the same base, and one would see it half done.
exec 9>"$cache/lock"
flock 9
# What a build that was cut off has left.
buildah rm --all >/dev/null
buildah rmi --prune >/dev/null

if ! buildah inspect --type image "$base" >/dev/null 2>&1; then
  node=$(echo "$home"/node_modules/node-linux-*/bin/node)
  [[ $("$node" --version) == "$version" ]] || { echo "node_modules has no Node $version, as the Dockerfile has." >&2; exit 1; }
  root=$(mktemp -d "$cache/base.XXXXXX")
  trap 'rm -rf "$root"' EXIT
  debootstrap --variant=minbase --include=ca-certificates,libatomic1 "$suite" "$root" >&2
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
  chmod 755 "$root"
  cp "$node" "$root/usr/local/bin/node"
  mkdir -p "$root/usr/local/lib/node_modules"
  # The folder of npm, of which bin/npm-cli.js is what runs.
  cp -r "$(dirname "$(realpath "$(command -v npm)")")/.." "$root/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  echo 'node:x:1000:1000::/home/node:/bin/bash' >>"$root/etc/passwd"
  echo 'node:x:1000:' >>"$root/etc/group"
  install -d -o 1000 -g 1000 "$root/home/node"
  container=$(buildah from scratch)
  buildah copy --quiet "$container" "$root" / >&2
  buildah commit --quiet --rm "$container" "$base" >&2
fi

# npm installs from where this machine does: its settings and its certificates are there during the build only.
settings=$folder/npmrc
cat "$(npm config get globalconfig 2>/dev/null)" "$(npm config get userconfig 2>/dev/null)" >"$settings" 2>/dev/null || true
echo "registry=$(npm config get registry 2>/dev/null)" >>"$settings"
authority=$(npm config get cafile 2>/dev/null)
[[ -f $authority ]] || authority=${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt}
echo "cafile=$authority" >>"$settings"

buildah bud --format docker --isolation chroot --pull-never --network host \
  --volume "$settings:/usr/local/etc/npmrc:ro" --volume "$authority:$authority:ro" \
  --volume "$(npm config get cache 2>/dev/null):/root/.npm" \
  --ignorefile "$ignorefile" --file "$dockerfile" --tag petstore "$context" >&2
buildah inspect --type image petstore >"$folder/image.json"
container=$(buildah from --pull-never petstore)
mkdir -p "$folder/root"
cp -a "$(buildah mount "$container")/." "$folder/root"
buildah rm "$container" >/dev/null
buildah rmi petstore >/dev/null
