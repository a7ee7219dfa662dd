//! The schema files of a package against the types they come from.

use std::{env, fs, path::Path};

use schemars::JsonSchema;

use crate::{Value, input_schema, output_schema};

/// Checks that `<script>.input.json` and `<script>.output.json` in `folder` are the schemas of `I` and
/// `O`. With `UPDATE_SCHEMAS=1` in the environment it writes them instead.
///
/// `folder` is relative to the crate's root, which is where cargo runs tests.
#[track_caller]
pub fn check_schemas<I: JsonSchema, O: JsonSchema>(folder: &str, script: &str) {
    let output = output_schema::<O>();
    for (part, schema) in [("input", Some(input_schema::<I>())), ("output", output)] {
        if let Some(schema) = schema {
            check_schema(&Path::new(folder).join(format!("{script}.{part}.json")), &schema);
        }
    }
}

#[track_caller]
fn check_schema(path: &Path, expected: &Value) {
    let found: Option<Value> =
        fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    if found.as_ref() == Some(expected) {
        return;
    }
    let text = format!("{expected:#}\n");
    if env::var_os("UPDATE_SCHEMAS").is_some_and(|value| value == "1") {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).expect("the schema folder can be made");
        }
        fs::write(path, text).expect("the schema can be written");
    } else {
        panic!(
            "`{}` is not the schema of its type; `UPDATE_SCHEMAS=1 cargo test` writes:\n{text}",
            path.display()
        );
    }
}
