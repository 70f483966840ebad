#!/bin/sh
# Installs gbac @VERSION@ for this machine: curl -fsSL @REPOSITORY@/releases/download/v@VERSION@/install.sh | sh
# GBAC_INSTALL names the folder of the program; without it, it is ~/.local/bin.
set -eu

fail() {
    echo "gbac is not installed: $1" >&2
    exit 1
}

# Nothing runs before the whole script is here.
main() {
    case "$(uname -s)-$(uname -m)" in
@TARGETS@
    *) fail "there is no program for $(uname -s) on $(uname -m); npx gbac runs the console without one" ;;
    esac
    folder=${GBAC_INSTALL:-${HOME:?set GBAC_INSTALL to a folder}/.local/bin}
    url=${GBAC_RELEASE:-@REPOSITORY@/releases/download/v@VERSION@}/gbac-$target.tar.gz
    temporary=$(mktemp -d)
    trap 'rm -rf "$temporary"' EXIT
    curl --fail --silent --show-error --location --output "$temporary/archive" "$url" || fail "cannot download $url"
    if command -v sha256sum >/dev/null; then
        actual=$(sha256sum "$temporary/archive")
    else
        actual=$(shasum -a 256 "$temporary/archive")
    fi
    [ "${actual%% *}" = "$sum" ] || fail "the SHA-256 of $url is ${actual%% *}, not $sum; download it again"
    tar -xzf "$temporary/archive" -C "$temporary" || fail "cannot unpack $url"
    mkdir -p "$folder" || fail "cannot create $folder; set GBAC_INSTALL to another folder"
    # A program that is in use is replaced at once, and never half.
    { cp "$temporary/gbac-$target/gbac" "$folder/.gbac.new" && mv "$folder/.gbac.new" "$folder/gbac"; } ||
        fail "cannot write $folder/gbac; set GBAC_INSTALL to another folder"
    "$folder/gbac" --version
    case ":$PATH:" in
    *":$folder:"*) ;;
    *) echo "Add $folder to PATH." ;;
    esac
}

main
