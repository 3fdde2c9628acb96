# Installs the pinned package in the working folder. $1 is this folder.
cp "$1/package.json" "$1/package-lock.json" .
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1
