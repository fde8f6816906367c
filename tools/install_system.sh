#!/bin/sh
# Makes sure that the programs are there which the tests need beside Python: a Chromium for the page (the one without a
# window is an eighth quicker), strace, which shows that what is saved was written to the disk, and PostgreSQL, which
# replicas share. What is there is taken; else the system's package is installed. Where one cannot be had, its tests say
# so: a failure with CI=true, else a skip (but for PostgreSQL, which is not skipped).
set -u
missing=""
command -v chromium-headless-shell >/dev/null 2>&1 || missing="chromium-headless-shell fonts-noto-core"
command -v strace >/dev/null 2>&1 || missing="$missing strace"
command -v postgres >/dev/null 2>&1 || ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 ||
    missing="$missing postgresql"
[ -z "$missing" ] && exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "Installing for the tests: $missing."
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086 # a list of packages
    apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing >/dev/null && exit 0
fi
echo "To run every test, please install: $missing." >&2
exit 0
