# Installs the official Python SDK and everything it needs in the working folder, by versions and
# hashes. $1 is this folder. Needs Python 3.10 or newer.
python3 -m venv --clear python
python/bin/python -m pip install --quiet --disable-pip-version-check \
    --only-binary :all: --require-hashes -r "$1/requirements.txt"
