#!/bin/sh
# Makes sure that there is a Chromium for the tests of the page: one that is there, else the system's package.
# Where none can be had, the tests say so: a failure with CI=true, a skip elsewhere.
set -u
for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null 2>&1 && exit 0
done
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "Installing Chromium for the tests of the page."
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-noto-core >/dev/null && exit 0
fi
echo "There is no Chromium here; install the package \"chromium\" to test the page." >&2
exit 0
