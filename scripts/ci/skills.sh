#!/usr/bin/env bash
# Builds skill packages and checks them, as CI does from a fresh clone: the components of a package are not in git.
# The action for GitHub, the container and the recipe for GitLab call it; any other CI can.
#
#   usage: skills.sh [STEP] [FOLDER ...]
#
# A FOLDER is a package or has packages in it; the current folder unless one is named. STEP is one of
#
#   all      the steps below, one after the other (the usual one)
#   program  takes the released narratoria that NARRATORIA_RELEASE names, else builds it from this repository, unless NARRATORIA
#            names one or one is on the search path
#   release  only takes the released one; ends with 3 if there is none for this machine
#   tools    installs what the packages' languages need, and leaves what is there
#   build    narratoria skill build, for each package
#   check    narratoria skill check, for all packages together
#
# Variables: NARRATORIA is the program; NARRATORIA_ROOT is where it is installed (~/.cache/narratoria-check);
# NARRATORIA_RELEASE is a version such as 0.1.0; NARRATORIA_RELEASES is the address of the releases, and NARRATORIA_RELEASE_KEY the
# key that has signed them, if they are others than those of Cargo.toml;
# STRICT=false keeps warnings from being errors; TIME_BUDGET is how many seconds the check may take (600); FORMAT is the
# format of its output (human); REPORTS are more reports, such as `junit=skills.xml`, one on each line.
set -euo pipefail
source_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
install_root=${NARRATORIA_ROOT:-$HOME/.cache/narratoria-check}
target=wasm32-wasip2

say() { printf 'skills: %s\n' "$*" >&2; }
fail() { say "$@"; exit 2; }
have() { command -v "$1" >/dev/null 2>&1; }

# ---- the program ------------------------------------------------------------------------------------
program() {
  if [ -n "${NARRATORIA:-}" ]; then
    echo "$NARRATORIA"
  elif [ -x "$install_root/bin/narratoria" ]; then
    echo "$install_root/bin/narratoria"
  else
    command -v narratoria || fail "there is no narratoria: run the step \`program\`, or set NARRATORIA"
  fi
}

manifest_value() { sed -n "s/^$1 = \"\(.*\)\"\$/\1/p" "$source_root/Cargo.toml" | head -n 1; }

# Verified by its signature. Returns the exit code of install.sh: 3 if there is no such release for this machine.
take_release() {
  [ -n "${NARRATORIA_RELEASE:-}" ] || return 3
  sh "$source_root/scripts/install.sh" --version "$NARRATORIA_RELEASE" --to "$install_root" \
    --from "${NARRATORIA_RELEASES:-$(manifest_value repository)/releases}" \
    --key "${NARRATORIA_RELEASE_KEY:-$(manifest_value pubkey)}" >&2
}

# Without the language model: a check needs none, and llama.cpp takes minutes to build.
build_program() {
  if [ -n "${NARRATORIA:-}" ] || have narratoria || [ -x "$install_root/bin/narratoria" ]; then
    return 0
  fi
  if [ -n "${NARRATORIA_RELEASE:-}" ]; then
    local taken=0
    take_release || taken=$?
    case $taken in
      0) return 0 ;;
      # A wrong signature is no reason to go on quietly.
      4) fail "the release $NARRATORIA_RELEASE is refused" ;;
      *) say "the release $NARRATORIA_RELEASE cannot be had here" ;;
    esac
  fi
  say "building narratoria"
  add_rust_target "$source_root"
  cargo install --quiet --locked --no-default-features --path "$source_root" --root "$install_root"
  # As `make build` does: a check plays a story of the built-in skills, and would compile them first.
  "$install_root/bin/narratoria" embed-compiled-skills "$install_root/bin/narratoria"
}

# ---- the tools of each language ---------------------------------------------------------------------
# Rust for components, by the toolchain that the folder asks for.
add_rust_target() { # folder
  local libraries
  have rustc || fail "Rust is missing: install rustup as its site describes"
  libraries=$(cd "$1" && rustc --print target-libdir --target "$target")
  if compgen -G "$libraries/libstd-*" >/dev/null; then return 0; fi
  # A toolchain of its own, of `scripts/wasm-toolchain.sh`.
  if RUSTUP_TOOLCHAIN=narratoria-wasm rustc --version >/dev/null 2>&1; then return 0; fi
  (cd "$1" && rustup target add "$target")
}

add_c_compiler() {
  if [ -d "${WASI_SDK_PATH:-/opt/wasi-sdk}" ]; then return 0; fi
  if have clang && compgen -G '/usr/include/wasm32-wasi*' >/dev/null; then return 0; fi
  local as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
  have apt-get || fail "C needs the wasi-sdk: unpack it and set WASI_SDK_PATH to its folder"
  "${as_root[@]}" apt-get -q update >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
    clang lld wasi-libc libclang-rt-dev-wasm32 >&2
}

add_tools() { # package
  local folder=$1
  if [ -e "$folder/Cargo.toml" ]; then add_rust_target "$folder"; fi
  if compgen -G "$folder/src/*.c" >/dev/null; then
    add_c_compiler
    # The linker for components comes with it.
    if [ ! -d "${WASI_SDK_PATH:-/opt/wasi-sdk}" ]; then add_rust_target "$folder"; fi
  fi
  if [ -e "$folder/requirements.txt" ] && ! have componentize-py && [ ! -x "$folder/.venv/bin/componentize-py" ]; then
    say "$folder: pip install -r requirements.txt"
    python3 -m venv "$folder/.venv"
    "$folder/.venv/bin/pip" install --quiet --disable-pip-version-check -r "$folder/requirements.txt" >&2
  fi
  if [ -e "$folder/package.json" ] && ! have componentize-js && [ ! -x "$folder/node_modules/.bin/componentize-js" ]; then
    say "$folder: npm install"
    (cd "$folder" && npm install --no-audit --no-fund --loglevel error >&2)
  fi
}

# ---- the packages -----------------------------------------------------------------------------------
is_package() { [ -e "$1/skill.json" ] || [ -e "$1/SKILL.md" ]; }

# Fills `packages` with the packages that the arguments name.
find_packages() {
  packages=()
  local folder inner found
  for folder in "$@"; do
    [ -d "$folder" ] || fail "there is no folder \`$folder\`"
    if is_package "$folder"; then
      packages+=("$folder")
      continue
    fi
    found=${#packages[@]}
    for inner in "${folder%/}"/*/; do
      if is_package "$inner"; then packages+=("${inner%/}"); fi
    done
    [ "${#packages[@]}" -gt "$found" ] ||
      fail "neither \`$folder\` nor a folder in it has a \`skill.json\` or a \`SKILL.md\`"
  done
}

check() {
  # More than the usual 60 s: a fresh machine has to compile every component.
  local arguments=(--format "${FORMAT:-human}" --time-budget "${TIME_BUDGET:-600}") report
  while IFS= read -r report; do
    if [ -n "$report" ]; then arguments+=(--also "$report"); fi
  done <<< "${REPORTS:-}"
  if [ "${STRICT:-true}" = true ]; then arguments+=(--strict); fi
  "$(program)" skill check "${arguments[@]}" -- "${packages[@]}"
}

step=all
case ${1:-} in all | program | release | tools | build | check) step=$1 && shift ;; esac
[ "$#" -gt 0 ] || set -- .
case $step in program | release) ;; *) find_packages "$@" ;; esac
case $step in
  program) build_program ;;
  release) take_release ;;
  tools) for package in "${packages[@]}"; do add_tools "$package"; done ;;
  # The packages are the author's own, so their build scripts may run.
  build) "$(program)" skill build --yes "${packages[@]}" ;;
  check) check ;;
  all)
    build_program
    for package in "${packages[@]}"; do add_tools "$package"; done
    "$(program)" skill build --yes "${packages[@]}"
    check
    ;;
esac
