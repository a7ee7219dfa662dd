//! The parts that a script needs beside its source to use a service of the host: imports of its world, files that it
//! shares with other scripts, and lines at its top. Rust has the SDK in their place. Knows texts and names; touches no
//! disk.

use super::{
    script_feature::ScriptFeature,
    template::{Language, TemplateFile},
};

/// The parts that one feature needs in one language; none by default.
#[derive(Default)]
pub(super) struct ServiceParts {
    /// Interfaces that the world of the script imports. C has no world: its headers describe what they import.
    pub(super) interfaces: &'static [&'static str],
    /// Files that several scripts may share.
    pub(super) files: &'static [TemplateFile],
    /// Lines for the modules of the standard library.
    standard: &'static str,
    /// Lines for the bindings.
    imports: &'static str,
    /// Lines for modules of the package.
    modules: &'static str,
    /// Names that the script takes from `wire.mjs`.
    wire: &'static str,
}

impl ServiceParts {
    /// Their places at the top of a source.
    pub(super) fn lines(&self) -> [(&'static str, &'static str); 4] {
        let wire = if self.wire.is_empty() { "inputOf" } else { self.wire };
        [
            ("standard", self.standard),
            ("imports", self.imports),
            ("modules", self.modules),
            ("wire", wire),
        ]
    }
}

macro_rules! file {
    ($path:literal, $text:literal) => {
        ($path, include_str!($text))
    };
}

const STORE_WIT: TemplateFile =
    file!("wit/deps/narratoria-host/store.wit", "../../contracts/wit/store.wit");
const MEMORY_WIT: TemplateFile =
    file!("wit/deps/narratoria-host/memory.wit", "../../contracts/wit/memory.wit");
const LLM_WIT: TemplateFile =
    file!("wit/deps/narratoria-host/llm.wit", "../../contracts/wit/llm.wit");
const HTTP_WIT: TemplateFile = file!("wit/deps/http.wit", "template/script/wit/http.wit");
const FILESYSTEM_WIT: TemplateFile =
    file!("wit/deps/filesystem.wit", "template/script/wit/filesystem.wit");

const STORE: &[&str] = &["narratoria:host/store@0.1.0"];
const MEMORY: &[&str] = &["narratoria:host/memory@0.1.0"];
const LLM: &[&str] = &["narratoria:host/llm@0.1.0"];
const HTTP: &[&str] = &["wasi:http/types@0.2.0", "wasi:http/outgoing-handler@0.2.0"];
const FILESYSTEM: &[&str] = &["wasi:filesystem/preopens@0.2.0"];

/// The header that every header of a service includes.
const HOST_H: TemplateFile = file!("src/host.h", "template/script/c/host.h");

pub(super) fn service_parts(language: Language, feature: Option<ScriptFeature>) -> ServiceParts {
    let none = ServiceParts::default();
    match (language, feature) {
        (_, None) | (Language::Rust, _) => none,
        (Language::Python, Some(feature)) => python(feature),
        (Language::JavaScript, Some(feature)) => javascript(feature),
        (Language::C, Some(feature)) => c(feature),
    }
}

fn python(feature: ScriptFeature) -> ServiceParts {
    let none = ServiceParts::default();
    match feature {
        ScriptFeature::Store => ServiceParts {
            interfaces: STORE,
            files: &[STORE_WIT],
            standard: "import json\n",
            imports: "from wit_world.imports import store\n",
            ..none
        },
        ScriptFeature::Memory => ServiceParts {
            interfaces: MEMORY,
            files: &[MEMORY_WIT],
            imports: "from wit_world.imports import memory\n",
            ..none
        },
        ScriptFeature::Llm => ServiceParts {
            interfaces: LLM,
            files: &[LLM_WIT],
            imports: "from componentize_py_types import Err\nfrom wit_world.imports import llm\n",
            ..none
        },
        ScriptFeature::Http => ServiceParts {
            interfaces: HTTP,
            files: &[HTTP_WIT, file!("src/fetch.py", "template/script/python/fetch.py")],
            modules: "import fetch\n",
            ..none
        },
        ScriptFeature::Assets | ScriptFeature::Config | ScriptFeature::Ask => none,
    }
}

fn javascript(feature: ScriptFeature) -> ServiceParts {
    let none = ServiceParts::default();
    match feature {
        ScriptFeature::Store => ServiceParts {
            interfaces: STORE,
            files: &[STORE_WIT],
            imports: "import { get, set } from \"narratoria:host/store@0.1.0\";\n\n",
            ..none
        },
        ScriptFeature::Memory => ServiceParts {
            interfaces: MEMORY,
            files: &[MEMORY_WIT],
            imports: "import { recall, remember } from \"narratoria:host/memory@0.1.0\";\n\n",
            ..none
        },
        ScriptFeature::Llm => ServiceParts {
            interfaces: LLM,
            files: &[LLM_WIT],
            imports: "import { generate } from \"narratoria:host/llm@0.1.0\";\n\n",
            ..none
        },
        ScriptFeature::Http => ServiceParts {
            interfaces: HTTP,
            files: &[HTTP_WIT, file!("src/fetch.mjs", "template/script/javascript/fetch.mjs")],
            modules: "import { FetchError, get } from \"./fetch.mjs\";\n",
            ..none
        },
        ScriptFeature::Assets => ServiceParts {
            interfaces: FILESYSTEM,
            files: &[
                FILESYSTEM_WIT,
                file!("src/files.mjs", "template/script/javascript/files.mjs"),
            ],
            modules: "import { writeFile } from \"./files.mjs\";\n",
            ..none
        },
        ScriptFeature::Config => ServiceParts { wire: "inputOf, quote, Refused", ..none },
        ScriptFeature::Ask => none,
    }
}

fn c(feature: ScriptFeature) -> ServiceParts {
    let none = ServiceParts::default();
    match feature {
        ScriptFeature::Store => ServiceParts {
            files: &[HOST_H, file!("src/store.h", "template/script/c/store.h")],
            modules: "#include \"store.h\"\n",
            ..none
        },
        ScriptFeature::Memory => ServiceParts {
            files: &[HOST_H, file!("src/memory.h", "template/script/c/memory.h")],
            modules: "#include \"memory.h\"\n",
            ..none
        },
        ScriptFeature::Llm => ServiceParts {
            files: &[HOST_H, file!("src/llm.h", "template/script/c/llm.h")],
            modules: "#include \"llm.h\"\n",
            ..none
        },
        ScriptFeature::Http => ServiceParts {
            files: &[HOST_H, file!("src/http.h", "template/script/c/http.h")],
            modules: "#include \"http.h\"\n",
            ..none
        },
        ScriptFeature::Assets | ScriptFeature::Config | ScriptFeature::Ask => none,
    }
}
