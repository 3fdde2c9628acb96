# Installs the pinned tools in the working folder. $1 is this folder.
mkdir -p npm
cp "$1/package.json" "$1/package-lock.json" npm
(cd npm && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
# npm does not mark it so, because no package names it as its program.
chmod 755 npm/node_modules/@ccusage/ccusage-linux-x64/bin/ccusage

python3 -m venv --clear python
python/bin/python -m pip install --quiet --disable-pip-version-check \
    --only-binary :all: --require-hashes -r "$1/requirements.txt"

# Each program is built with the lock file of its package, which must be the pinned one.
grep -v '^#' "$1/crates.txt" | while read -r name version hash; do
    cargo install --locked --quiet "$name" --version "=$version" \
        --root crates --target-dir crates/build </dev/null
    for package in "${CARGO_HOME:-$HOME/.cargo}"/registry/cache/*/"$name-$version.crate"; do
        echo "$hash  $package" | sha256sum --check --quiet
    done
done
# It is large and only of use for the next build.
rm -r crates/build
