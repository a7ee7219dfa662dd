//! One untrusted package: the files of its folder, and the orders of its script in a turn.

use std::{fs, os::unix::fs::symlink, path::Path, process::Command};

use serde_json::{Map, Value, json};

/// The treatment that the package must get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It neither loads nor installs.
    Refused,
    /// It loads, and its turn ends, well or not.
    Loads,
    /// Refused or loaded: it only must do no harm.
    Harmless,
}

/// A thing in a folder that is no regular file.
#[derive(Debug, Clone)]
pub(crate) enum Odd {
    Fifo,
    Folder,
    Link(&'static str),
    /// A sparse file of this many bytes.
    Sparse(u64),
}

#[derive(Debug, Clone)]
pub(crate) struct Stranger {
    /// Its fault, as a sentence.
    pub(crate) name: String,
    pub(crate) verdict: Verdict,
    pub(crate) files: Vec<(String, Vec<u8>)>,
    pub(crate) odd: Vec<(String, Odd)>,
    /// The orders of its script, see the guest `obeys`; without any the turn only asks for the request.
    pub(crate) orders: Vec<Value>,
    /// How often the plan runs the script.
    pub(crate) steps: usize,
}

/// The folder of every package here, and its name.
pub(crate) const NAME: &str = "stranger";

pub(crate) fn manifest() -> Value {
    json!({
        "name": NAME,
        "displayName": "Stranger",
        "description": "A stranger's package.",
        "version": "0.1.0",
        "license": "MIT",
        "retryPolicy": {"maxRetries": 3, "backoffMs": 1},
        "scripts": [{
            "name": "act",
            "path": "scripts/act.wasm",
            "description": "Does as it is told.",
            "inputSchema": "schemas/act.json",
            "grants": {"assets": true, "data": true},
        }],
    })
}

impl Stranger {
    /// A package that breaks no rule yet.
    pub(crate) fn new(name: impl Into<String>, verdict: Verdict) -> Stranger {
        let files = vec![
            ("skill.json".to_owned(), manifest().to_string().into_bytes()),
            (
                "SKILL.md".to_owned(),
                format!("---\nname: {NAME}\ndescription: A stranger.\n---\nA stranger.\n").into(),
            ),
            ("schemas/act.json".to_owned(), br#"{"type": "object"}"#.to_vec()),
            ("scripts/act.wasm".to_owned(), narratoria_guests::OBEYS.component.to_vec()),
        ];
        let name = name.into();
        Stranger { name, verdict, files, odd: Vec::new(), orders: Vec::new(), steps: 1 }
    }

    pub(crate) fn file(mut self, path: &str, bytes: impl Into<Vec<u8>>) -> Stranger {
        self.files.retain(|(there, _)| there != path);
        self.files.push((path.to_owned(), bytes.into()));
        self
    }

    pub(crate) fn odd(mut self, path: &str, odd: Odd) -> Stranger {
        self.files.retain(|(there, _)| there != path);
        self.odd.push((path.to_owned(), odd));
        self
    }

    pub(crate) fn without(mut self, path: &str) -> Stranger {
        self.files.retain(|(there, _)| there != path);
        self
    }

    /// Adds empty files.
    pub(crate) fn many_files(mut self, count: usize) -> Stranger {
        self.files.extend((0..count).map(|n| (format!("more/{n}.txt"), Vec::new())));
        self
    }

    /// Replaces fields of the manifest.
    pub(crate) fn manifest(self, fields: Value) -> Stranger {
        let mut manifest = manifest();
        manifest.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.file("skill.json", manifest.to_string())
    }

    /// Replaces the schema of the script's input, which is always an object.
    pub(crate) fn schema(self, mut schema: Value) -> Stranger {
        schema.as_object_mut().unwrap().insert("type".to_owned(), json!("object"));
        self.file("schemas/act.json", schema.to_string())
    }

    pub(crate) fn orders(mut self, orders: Value) -> Stranger {
        self.orders = orders.as_array().unwrap().clone();
        self
    }

    pub(crate) fn steps(mut self, steps: usize) -> Stranger {
        self.steps = steps;
        self
    }

    pub(crate) fn write(&self, folder: &Path) {
        for (path, bytes) in &self.files {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        for (path, odd) in &self.odd {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match odd {
                Odd::Fifo => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
                Odd::Folder => fs::create_dir(path).unwrap(),
                Odd::Link(to) => symlink(to, path).unwrap(),
                Odd::Sparse(bytes) => fs::File::create(path).unwrap().set_len(*bytes).unwrap(),
            }
        }
    }

    /// A planner's script: a plan that gives the orders in each step, once for each attempt of a turn.
    pub(crate) fn script(&self) -> String {
        let input: Map<String, Value> = match self.orders.as_slice() {
            [] => Map::new(),
            orders => [("do".to_owned(), json!(orders))].into_iter().collect(),
        };
        let tools: Vec<Value> = (0..self.steps)
            .map(|n| json!({"toolId": format!("act-{n}"), "toolPath": "stranger/act", "input": input}))
            .collect();
        let plan = json!({"requestId": "6f1c1f9e-8d5e-4e9c-9a52-0d3f5a1b2c3d", "tools": tools});
        json!(vec![plan; 5]).to_string()
    }
}
