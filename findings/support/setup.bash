# Sourced by the scripts of this folder: they work in a temporary folder, which is removed at the end.
set -euo pipefail
support="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"
cp "$support"/*.mjs .

# Installs packages of exact versions, and prints them.
install() {
  echo '{ "private": true, "type": "module" }' >package.json
  npm install --silent --no-audit --no-fund --ignore-scripts --save-exact "$@"
  echo "node $(node --version), $*"
}

# Writes the certificate of a server at localhost, and a signing key as Apple gives them out.
certificate() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout server-key.pem -out server.pem 2>/dev/null
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out apns-key.p8 2>/dev/null
}

# Starts a Redis without persistence at a free port, with these options; sets REDIS_PORT. It ends with the script.
redis() {
  REDIS_PORT=$(node -e "const s=require('net').createServer().listen(0,'127.0.0.1',()=>{console.log(s.address().port);s.close()})")
  export REDIS_PORT
  redis-server --port "$REDIS_PORT" --bind 127.0.0.1 --save '' --appendonly no --dir "$work" "$@" >redis.log &
  local pid=$!
  trap 'kill '"$pid"'; wait '"$pid"' 2>/dev/null || true; rm -rf "$work"' EXIT
  until redis-cli -p "$REDIS_PORT" ping >/dev/null 2>&1; do sleep 0.1; done
  redis-server --version | cut -d' ' -f1-3
}
