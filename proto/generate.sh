#!/bin/sh
# Writes arena/v1 from proto/arena/v1 into the directory given (default: the project's root).
set -eu
cd "$(dirname "$0")/.."
out=${1:-.}
python=${PYTHON:-.venv/bin/python}
PATH=$(dirname "$python"):$PATH
export PATH
"$python" -m grpc_tools.protoc -Iproto --python_out="$out" --mypy_out="quiet:$out" \
    proto/arena/v1/*.proto
"$python" -m grpc_tools.protoc -Iproto --grpc_python_out="$out" --mypy_grpc_out="quiet:$out" \
    proto/arena/v1/referee.proto proto/arena/v1/registry.proto
