#!/usr/bin/env bash
# Stands in for cmake where Rust code is only type-checked: `make lint` needs the bindings of llama.cpp, not its library,
# which takes minutes of processor time. Leaves an empty archive where the build script looks for one.
#
# The caller also sets GGML_TYPE_CHECK_ONLY. llama.cpp does not know it; its build script runs again when the variable is
# gone, so an empty archive is never linked. If the library has been built already, the script does not run at all.
set -euo pipefail
for argument in "$@"; do
  case $argument in
    -DCMAKE_INSTALL_PREFIX=*)
      lib=${argument#*=}/lib
      mkdir -p "$lib"
      [ -e "$lib/libllama.a" ] || printf '!<arch>\n' >"$lib/libllama.a"
      ;;
  esac
done
