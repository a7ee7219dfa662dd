//! The source of a script in JavaScript, and the base that runs it.

use std::path::Path;

use narratoria_protocol::{JsonBounds, read_json_as};
use narratoria_sandbox::SOURCE_HEAD_BYTES;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    super::{
        BuildTools, PackageBuildError,
        interpreted::{javascript_tool, world_of},
    },
    bases::{ScriptBase, SourceScript},
};

const PROGRAM: &str = include_str!("base.mjs");

/// Turns modules into functions. It uses the parser of componentize-js.
const BUNDLER: &str = include_str!("bundle.mjs");

/// The output of the bundler. It has no bundle for a script that has to be built.
#[derive(Deserialize)]
struct Bundled {
    #[serde(default)]
    imports: Vec<String>,
    bundle: Option<Value>,
}

/// Reads the script with everything that it imports; `None` if a base cannot run it.
pub(super) fn read(
    folder: &Path,
    from: &Path,
    tools: &BuildTools,
) -> Result<Option<SourceScript>, PackageBuildError> {
    let Some(node) = tools.find("node") else { return Ok(None) };
    let mut command = tools.command(&node, folder);
    command.args(["--input-type=module", "--eval", BUNDLER, "--"]);
    command.arg(javascript_tool(folder, tools)?);
    command.arg(from.strip_prefix(folder).unwrap_or(from));
    let said = tools.run_for_stdout(command)?;
    let Ok(said) = read_json_as::<Bundled>(&said, JsonBounds::of_bytes(said.len())) else {
        return Ok(None);
    };
    Ok(said.bundle.map(|bundle| SourceScript {
        imports: said.imports,
        bundle: bundle.to_string().into_bytes(),
    }))
}

/// `None` if the script imports no stdin or stdout, through which a base gets the source and answers.
pub(super) fn base(
    folder: &Path,
    from: &Path,
    imports: &[String],
    tools: &BuildTools,
) -> Result<Option<ScriptBase>, PackageBuildError> {
    let stream = |name: &str| imports.iter().find(|import| import.starts_with(name));
    let (Some(stdin), Some(stdout)) = (stream("wasi:cli/stdin"), stream("wasi:cli/stdout")) else {
        return Ok(None);
    };
    let mut head = String::new();
    let mut host = Vec::new();
    for (idx, name) in imports.iter().enumerate() {
        head.push_str(&format!("import * as host{idx} from {};\n", json!(name)));
        host.push(format!("{}: host{idx}", json!(name)));
    }
    head.push_str(&format!("const HOST = {{ {} }};\n", host.join(", ")));
    head.push_str(&format!("const [STDIN, STDOUT] = {};\n", json!([stdin, stdout])));
    head.push_str(&format!("const HEAD_BYTES = {SOURCE_HEAD_BYTES};\n\n"));
    Ok(Some(ScriptBase {
        is_python: false,
        tool: javascript_tool(folder, tools)?,
        world: world_of(folder, from)?,
        program: head + PROGRAM,
    }))
}
