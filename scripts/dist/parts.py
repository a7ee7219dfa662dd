#!/usr/bin/env python3
"""What others made and a release contains: their licences, and a list of parts (SBOM, CycloneDX 1.6).

usage: parts.py licences|sbom [--target TARGET] [--no-default-features] [--without-embedding-model]

The parts are the crates that are linked into the program and into the components of its skills, as `cargo tree` has them,
and the code and data in other languages that these bring: llama.cpp, SQLite, the libc of the components, the model of
sentence vectors. A part whose licence text cannot be found is an error, and so is a crate that links a library which
`LINKED` does not know. Equal sources give equal output.
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tomllib
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXTS = ROOT / "scripts/dist/licences"
COMPONENT_TARGET = "wasm32-wasip2"

# Files of a crate that are its licence, or a notice that must be passed on with it.
LICENCE_FILE = re.compile(r"(licen[cs]e|copying|copyright|notice|unlicense)", re.IGNORECASE)

# Crates whose package has no licence text: it is in the repository of the project, and in `licences` here.
TEXT_OF_REPOSITORY = {
    "cel": "cel-rust.txt",
    "llama-cpp-2": "llama-cpp-rs.txt",
    "llama-cpp-sys-2": "llama-cpp-rs.txt",
    "uuid-simd": "Nugine-simd.txt",
    "vsimd": "Nugine-simd.txt",
}

# Crates without a text that belong to a project whose other crate has it.
TEXT_OF_CRATE = {
    "cranelift-assembler-x64": "cranelift-codegen",
    "pulley-interpreter": "wasmtime",
    "wasmtime-internal-core": "wasmtime",
}

# Crates with `links`: what their library is.
LINKED = {
    "libsqlite3-sys": "SQLite, below",
    "llama-cpp-sys-2": "llama.cpp, below",
    "ring": "C and assembly of the crate itself, under its own licences",
    "rayon-core": "nothing: it only keeps a second version out",
}


class PartError(Exception):
    """Why no list can be made."""


def cargo(*arguments):
    command = [os.environ.get("CARGO", "cargo"), *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise PartError(f"`{' '.join(command)}` failed:\n{done.stderr.strip()}")
    return done.stdout


def tree(packages, target, features):
    """The crates that are linked into these packages, as (name, version)."""
    chosen = [word for package in packages for word in ("-p", package)]
    lines = cargo("tree", "--locked", *chosen, *features, "--target", target, "--edges", "normal,no-proc-macro",
                  "--prefix", "none", "--format", "{p}").splitlines()
    found = set()
    for line in lines:
        words = line.split()
        if len(words) >= 2:
            found.add((words[0], words[1].removeprefix("v")))
    return found


def skill_packages():
    folder = ROOT / "skills-wasm"
    return sorted(path.name for path in folder.iterdir() if (path / "package").is_dir())


def first_comment(text, mark):
    """The comment at the beginning of a source, without its marks."""
    lines = []
    for line in text.splitlines():
        if not line.startswith(mark):
            break
        lines.append(line.removeprefix(mark).strip())
    return "\n".join(lines).strip() + "\n"


def found(pattern, path):
    match = re.search(pattern, path.read_text(encoding="utf-8"))
    if match is None:
        raise PartError(f"{path} has no `{pattern}`")
    return match


class Part:
    """Something that another made: a crate, a library, data."""

    def __init__(self, name, version, licence, texts, purl, kind="library", digest=None, key=None, note=None):
        self.name, self.version, self.licence = name, version, licence
        self.texts, self.purl, self.kind = texts, purl, kind
        self.digest, self.key, self.note = digest, key, note

    @property
    def title(self):
        return f"{self.name} {self.version} ({self.licence})"


def texts_of_crate(package, siblings):
    """The licence texts of a crate: its own, else those of a crate of the same repository under the same licence."""
    folder = pathlib.Path(package["manifest_path"]).parent
    files = [path for path in sorted(folder.iterdir()) if path.is_file() and LICENCE_FILE.match(path.name)
             and path.suffix not in (".rs", ".toml")]
    named = package.get("license_file")
    if named and (folder / named).is_file() and folder / named not in files:
        files.append(folder / named)
    if files:
        return [path.read_text(encoding="utf-8", errors="replace") for path in files]
    if package["name"] in TEXT_OF_REPOSITORY:
        return [(TEXTS / TEXT_OF_REPOSITORY[package["name"]]).read_text(encoding="utf-8")]
    for sibling in siblings:
        same = all(sibling[key] and sibling[key] == package[key] for key in ("license", "repository"))
        named = sibling["name"] == TEXT_OF_CRATE.get(package["name"]) and sibling["license"] == package["license"]
        if (same or named) and sibling["id"] != package["id"]:
            texts = texts_of_crate(sibling, [])
            if texts:
                return texts
    return []


def crates(packages, wanted, checksums):
    siblings = sorted(packages, key=lambda package: package["id"])
    parts, faults = [], []
    for package in siblings:
        name, version = package["name"], package["version"]
        if (name, version) not in wanted or package["source"] is None:
            continue
        texts = texts_of_crate(package, siblings)
        if not texts:
            faults.append(f"{name} {version} ({package['license']}) has no licence text; take it from "
                          f"{package['repository']} into {TEXTS.relative_to(ROOT)} and name it in TEXT_OF_REPOSITORY, or in TEXT_OF_CRATE a crate that has it")
        if package["links"] and name not in LINKED:
            faults.append(f"{name} {version} links `{package['links']}`: say in LINKED what that is")
        licence = (package["license"] or "see its text").replace("/", " OR ")
        parts.append(Part(name, version, licence, texts, f"pkg:cargo/{name}@{version}",
                          digest=checksums.get((name, version)), key=package["id"]))
    if faults:
        raise PartError("\n".join(faults))
    return parts


def other_parts(packages, wanted, has_model):
    """What is no crate."""
    folders = {package["name"]: pathlib.Path(package["manifest_path"]).parent for package in packages
               if (package["name"], package["version"]) in wanted}
    parts = []
    if "libsqlite3-sys" in folders:
        header = folders["libsqlite3-sys"] / "sqlite3/sqlite3.h"
        version = found(r'#define SQLITE_VERSION +"([0-9.]+)"', header)[1]
        blessing = found(r"(?s)/\*\n(.*?)\n\*{20}", header)[1]
        text = "\n".join(line.removeprefix("**").strip() for line in blessing.splitlines()) + "\n"
        parts.append(Part("SQLite", version, "blessing", [text], f"pkg:generic/sqlite@{version}"))
    if "llama-cpp-sys-2" in folders:
        folder = folders["llama-cpp-sys-2"] / "llama.cpp"
        lists = folder / "CMakeLists.txt"
        version = ".".join(found(rf"LLAMA_VERSION_{part} +(\d+)", lists)[1] for part in ("MAJOR", "MINOR", "PATCH"))
        text = (folder / "LICENSE").read_text(encoding="utf-8")
        note = "the sources in the crate llama-cpp-sys-2, with ggml"
        parts.append(Part("llama.cpp", version, "MIT", [text], f"pkg:github/ggml-org/llama.cpp@v{version}", note=note))
        sgemm = folder / "ggml/src/ggml-cpu/llamafile/sgemm.cpp"
        text = first_comment(sgemm.read_text(encoding="utf-8"), "//")
        parts.append(Part("llamafile sgemm", version, "MIT", [text], "pkg:github/mozilla-ai/llamafile",
                          note="matrix multiplication in ggml"))
    if has_model:
        text = (ROOT / "LICENSE-APACHE").read_text(encoding="utf-8")
        parts.append(Part("all-MiniLM-L6-v2", "1", "Apache-2.0", [text],
                          "pkg:huggingface/sentence-transformers/all-MiniLM-L6-v2", kind="machine-learning-model",
                          note="weights, with numbers of eight bits (scripts/embedding-model.py)"))
    wasi = (TEXTS / "wasi-libc.txt").read_text(encoding="utf-8")
    parts.append(Part("wasi-libc", "of the toolchain", "MIT AND BSD-2-Clause", [wasi],
                      "pkg:github/WebAssembly/wasi-libc", note="in the components of the built-in skills"))
    parts.append(standard_library())
    return parts


def standard_library():
    rustc = os.environ.get("RUSTC", "rustc")
    version = subprocess.run([rustc, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    sysroot = subprocess.run([rustc, "--print", "sysroot"], capture_output=True, text=True, check=True).stdout.strip()
    page = pathlib.Path(sysroot) / "share/doc/rust/COPYRIGHT-library.html"
    if not page.is_file():
        raise PartError(f"the licences of Rust's standard library are not where rustup puts them, {page}")
    return Part("rust-std", version, "MIT OR Apache-2.0", [page.read_text(encoding="utf-8")],
                f"pkg:github/rust-lang/rust@{version}", note="the standard library of Rust")


def collect(arguments):
    features = ["--no-default-features"] if arguments.no_default_features else []
    wanted = tree(["narratoria"], arguments.target, features) | tree(skill_packages(), COMPONENT_TARGET, [])
    metadata = json.loads(cargo("metadata", "--locked", "--format-version", "1"))
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))
    checksums = {(package["name"], package["version"]): package.get("checksum") for package in lock["package"]}
    packages = metadata["packages"]
    parts = crates(packages, wanted, checksums)
    others = other_parts(packages, wanted, not arguments.without_embedding_model and not arguments.no_default_features)
    return metadata, wanted, parts, others


def render_licences(parts):
    """Each text once, below the parts that it is for."""
    by_text = {}
    for part in parts:
        for text in part.texts:
            text = "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"
            by_text.setdefault(text, set()).add(part.title)
    entries = sorted((sorted(titles), text) for text, titles in by_text.items())
    rule = "=" * 78
    out = ["Narratoria contains what others made. These are its parts with their licences; where a part may be",
           "used under one of several, all texts that came with it are here. Narratoria itself: LICENSE-MIT,",
           "LICENSE-APACHE.", ""]
    for titles, text in entries:
        out += [rule, *(f"  {title}" for title in titles), rule, "", text]
    return "\n".join(out)


def component(part):
    entry = {"type": part.kind, "bom-ref": part.purl, "name": part.name, "version": part.version,
             "licenses": [{"expression": part.licence}], "purl": part.purl}
    if part.licence == "blessing" or re.fullmatch(r"[A-Za-z0-9.+-]+", part.licence):
        entry["licenses"] = [{"license": {"id": part.licence}}]
    if part.digest:
        entry["hashes"] = [{"alg": "SHA-256", "content": part.digest}]
    if part.note:
        entry["description"] = part.note
    return entry


def render_sbom(metadata, wanted, parts, others):
    """CycloneDX 1.6, which other programs compare with lists of known faults."""
    own = {package["id"]: package for package in metadata["packages"]
           if package["source"] is None and (package["name"], package["version"]) in wanted}
    refs = {part.key: part.purl for part in parts if part.key}
    main = next(package for package in own.values() if package["name"] == "narratoria")
    main_ref = f"pkg:cargo/narratoria@{main['version']}"
    refs |= {key: f"pkg:cargo/{package['name']}@{package['version']}" for key, package in own.items()}
    entries = [component(part) for part in [*parts, *others]]
    for package in own.values():
        if package["name"] != "narratoria":
            entries.append({"type": "library", "bom-ref": refs[package["id"]], "name": package["name"],
                            "version": package["version"], "licenses": [{"expression": package["license"]}]})
    edges = []
    for node in metadata["resolve"]["nodes"]:
        if node["id"] in refs:
            linked = {dependency["pkg"] for dependency in node["deps"]
                      if any(kind["kind"] is None for kind in dependency["dep_kinds"])}
            edges.append({"ref": refs[node["id"]], "dependsOn": sorted(refs[key] for key in linked if key in refs)})
    edges += [{"ref": part.purl, "dependsOn": []} for part in others]
    # What is no crate belongs to the program as a whole.
    for edge in edges:
        if edge["ref"] == main_ref:
            edge["dependsOn"] = sorted({*edge["dependsOn"], *(part.purl for part in others)})
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {
            "component": {"type": "application", "bom-ref": main_ref, "name": "narratoria", "version": main["version"],
                          "description": main["description"], "licenses": [{"expression": main["license"]}],
                          "purl": main_ref},
            "tools": {"components": [{"type": "application", "name": "scripts/dist/parts.py"}]},
        },
        "components": sorted(entries, key=lambda entry: entry["bom-ref"]),
        "dependencies": sorted(edges, key=lambda edge: edge["ref"]),
    }
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch:
        from datetime import datetime, timezone
        document["metadata"]["timestamp"] = datetime.fromtimestamp(int(epoch), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    digest = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).digest()
    # Of the content, so that equal lists have equal numbers.
    document = {"$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
                "serialNumber": f"urn:uuid:{uuid.UUID(bytes=digest[:16], version=4)}", **document}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def host():
    rustc = os.environ.get("RUSTC", "rustc")
    said = subprocess.run([rustc, "-vV"], capture_output=True, text=True, check=True).stdout
    return re.search(r"host: (\S+)", said)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["licences", "sbom"])
    parser.add_argument("--target", default=None, help="of the program [default: this machine's]")
    parser.add_argument("--no-default-features", action="store_true", help="a program without llama.cpp")
    parser.add_argument("--without-embedding-model", action="store_true", help="a program without sentence vectors")
    arguments = parser.parse_args()
    arguments.target = arguments.target or host()
    try:
        metadata, wanted, parts, others = collect(arguments)
        text = (render_licences([*parts, *others]) if arguments.what == "licences"
                else render_sbom(metadata, wanted, parts, others))
    except PartError as error:
        print(f"parts: {error}", file=sys.stderr)
        return 1
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
