#!/bin/sh
# A server and workers on one machine, which end together: processes.sh WORKERS NAME [OPTION]...
# The options are those of `farrier hunt`.
set -eu
if [ $# -lt 2 ]; then
    echo "usage: processes.sh WORKERS NAME [OPTION OF farrier hunt]..." >&2
    exit 2
fi
workers=$1 name=$2
shift 2
port=${FARRIER_PORT:-4222}
directory=${FARRIER_DIR:-farrier-$name}
mkdir -p "$directory"
nats-server --addr 127.0.0.1 --port "$port" --jetstream --store_dir "$directory/nats" \
    --ports_file_dir "$directory" >"$directory/nats.log" 2>&1 &
server=$!
processes=
# The workers first, so that the server takes what they have.
end() {
    trap - INT TERM EXIT
    [ -z "$processes" ] || kill -INT $processes 2>/dev/null || true
    for process in $processes; do wait "$process" || true; done
    kill "$server" 2>/dev/null || true
    wait "$server" || true
}
trap 'end; exit 130' INT TERM
trap end EXIT
# The server writes this file when it is ready.
tries=0
until [ -e "$directory/nats-server_$server.ports" ]; do
    tries=$((tries + 1))
    if [ "$tries" -gt 100 ]; then
        echo "the server does not start: see $directory/nats.log" >&2
        exit 2
    fi
    sleep 0.1
done
number=0
while [ "$number" -lt "$workers" ]; do
    number=$((number + 1))
    "${FARRIER:-farrier}" hunt --join "nats://127.0.0.1:$port" --name "$name" \
        --dir "$directory/worker-$number" --jobs 1 "$@" &
    processes="$processes $!"
done
for process in $processes; do wait "$process" || true; done
