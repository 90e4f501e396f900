#!/bin/sh
# Writes what is made from proto/arena/v1 into the directory given (default: the project's root):
# arena/v1, and the copies of the protocol in the starters of sample_bots/, so that each of them can
# be copied out and built on its own.
set -eu
cd "$(dirname "$0")/.."
out=${1:-.}
python=${PYTHON:-.venv/bin/python}
PATH=$(dirname "$python"):$PATH
export PATH
"$python" -m grpc_tools.protoc -Iproto --python_out="$out" --mypy_out="quiet:$out" \
    proto/arena/v1/*.proto
"$python" -m grpc_tools.protoc -Iproto --grpc_python_out="$out" --mypy_grpc_out="quiet:$out" \
    proto/arena/v1/attendance.proto proto/arena/v1/challenge.proto proto/arena/v1/event.proto \
    proto/arena/v1/operator.proto proto/arena/v1/organiser.proto proto/arena/v1/owner.proto \
    proto/arena/v1/referee.proto proto/arena/v1/registry.proto proto/arena/v1/spectator.proto \
    proto/arena/v1/upload.proto proto/arena/v1/webhook.proto proto/arena/v1/worker.proto

games=$(sed -n 's|^import "arena/v1/\(.*\)\.proto";$|\1|p' proto/arena/v1/game.proto)
for language in cpp go java javascript rust typescript; do
    mkdir -p "$out/sample_bots/$language/proto/arena/v1"
    for file in $games game referee transcript; do
        cp "proto/arena/v1/$file.proto" "$out/sample_bots/$language/proto/arena/v1/"
    done
done
