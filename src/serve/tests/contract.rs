//! `contracts/page-api.openapi.json` says what the table of routes says.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::Value;

use super::route_walk::name;
use crate::{
    limits::DOCUMENT_TURNS_MAX,
    route::{ROUTES, RouteAccess, RouteBody},
    story_routes::{DOCUMENTS, EXPORTS},
};

fn contract() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contracts/page-api.openapi.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn the_contract_has_the_routes_of_the_server() {
    let contract = contract();
    assert!(contract["openapi"].as_str().unwrap().starts_with("3.1."));
    let mut described = BTreeSet::new();
    for (path, methods) in contract["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            if method == "parameters" {
                continue;
            }
            let access = match operation["security"].as_array().map(Vec::as_slice) {
                None => RouteAccess::Player,
                Some([]) => RouteAccess::Open,
                Some([session, reader]) if session["session"].is_array() => {
                    assert!(reader["reader"].is_array(), "{method} {path}");
                    RouteAccess::Reader
                }
                Some(other) => panic!("{method} {path}: {other:?}"),
            };
            let content = operation["requestBody"]["content"].as_object();
            let body = content.and_then(|content| content.keys().next()).cloned();
            described.insert((method.to_uppercase(), path.clone(), format!("{access:?}"), body));
            let in_path = path.matches('{').count();
            let shared = methods["parameters"].as_array();
            let own = operation["parameters"].as_array();
            let parameters = shared.into_iter().chain(own).flatten();
            let of_path = parameters.filter(|parameter| {
                let reference = parameter["$ref"].as_str().unwrap_or_default();
                parameter["in"] == "path" || reference.ends_with("/story")
            });
            assert_eq!(of_path.count(), in_path, "{method} {path}");
        }
    }
    // What programs of others say to their path is a protocol of its own.
    let routes = ROUTES.iter().filter(|route| route.access != RouteAccess::Program);
    let routes: BTreeSet<_> = routes
        .map(|route| {
            let body = match route.body {
                RouteBody::None => None,
                RouteBody::Json | RouteBody::Message => Some("application/json".to_owned()),
                RouteBody::File => Some("application/octet-stream".to_owned()),
            };
            let access = format!("{:?}", route.access);
            (name(route.method).to_owned(), route.path.to_owned(), access, body)
        })
        .collect();
    assert_eq!(described, routes);
}

#[test]
fn the_contract_lists_the_documents_and_forms_of_a_story() {
    let contract = contract();
    let schemas = &contract["components"]["schemas"];
    assert_eq!(schemas["DocumentName"]["enum"], serde_json::json!(DOCUMENTS));
    assert_eq!(schemas["ExportFormat"]["enum"], serde_json::json!(EXPORTS));
    assert_eq!(schemas["DocumentTurns"]["maximum"], serde_json::json!(DOCUMENT_TURNS_MAX));
}

#[test]
fn every_reference_of_the_contract_leads_somewhere() {
    fn walk<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("$ref").and_then(Value::as_str));
                fields.values().for_each(|value| walk(value, found));
            }
            Value::Array(items) => items.iter().for_each(|item| walk(item, found)),
            _ => {}
        }
    }
    let contract = contract();
    let mut references = Vec::new();
    walk(&contract, &mut references);
    assert!(references.len() > 20);
    for reference in references {
        let pointer = reference.strip_prefix('#').expect("a reference within the contract");
        assert!(contract.pointer(pointer).is_some(), "{reference}");
    }
}
