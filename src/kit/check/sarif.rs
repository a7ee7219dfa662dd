//! A report as SARIF 2.1.0 (OASIS), which code scanning reads.

use std::fmt::Write;

use serde_json::{Value, json};

use super::{CheckReport, Finding, PackageReport, RULES, Rule};

/// The schema of the format.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

pub fn report_sarif(report: &CheckReport) -> Value {
    let rules: Vec<Value> = RULES.iter().map(|rule| descriptor(rule)).collect();
    let results: Vec<Value> = report
        .packages
        .iter()
        .flat_map(|package| package.findings.iter().map(|finding| result(package, finding)))
        .collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "narratoria skill check",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": rules,
                },
            },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn descriptor(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "shortDescription": {"text": rule.why},
        "help": {"text": rule.help},
        "defaultConfiguration": {"level": rule.level.as_str()},
    })
}

fn result(package: &PackageReport, finding: &Finding) -> Value {
    let rule_idx = RULES.iter().position(|rule| rule.id == finding.rule.id);
    let file = finding.file.as_deref().unwrap_or("skill.json");
    let mut physical = json!({
        "artifactLocation": {"uri": uri(&package.path(file))},
    });
    if let Some(line) = finding.line {
        physical["region"] = json!({"startLine": line});
    }
    let mut location = json!({"physicalLocation": physical});
    if let Some(pointer) = &finding.pointer {
        location["logicalLocations"] = json!([{"fullyQualifiedName": pointer}]);
    }
    // Identifies a finding from one check to the next: lines move often, rules and pointers seldom.
    let pointer = finding.pointer.as_deref().unwrap_or_default();
    let fingerprint = format!("{}:{}:{file}:{pointer}", finding.rule.id, package.name);
    json!({
        "ruleId": finding.rule.id,
        "ruleIndex": rule_idx,
        "level": finding.level.as_str(),
        "message": {"text": format!("{}: {}", finding.what, finding.rule.help)},
        "locations": [location],
        "partialFingerprints": {"narratoriaRuleAndPlace/v1": fingerprint},
    })
}

/// A path as the relative reference of RFC 3986: characters other than letters, digits and `/-._~` become `%` escapes.
fn uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(byte.into()),
            byte if byte.is_ascii_alphanumeric() => uri.push(byte.into()),
            byte => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn a_path_becomes_a_reference() {
        assert_eq!(uri("skills/a b/ü.json"), "skills/a%20b/%C3%BC.json");
    }
}
