//! A component's imports beside standard WASI, as WIT, for comparing them with `contracts/wit`.

use wasmtime::component::{
    Component,
    types::{ComponentFunc, ComponentInstance, ComponentItem, Type},
};

use super::sandbox;

/// Each interface that a guest imports from the host: its name, and its items as WIT.
pub(crate) fn imports(guest: &str) -> Vec<(String, String)> {
    let sandbox = sandbox();
    let engine = sandbox.engine();
    let wasm = narratoria_guests::find(guest).unwrap().component;
    let component = Component::new(engine, wasm).unwrap().component_type();
    component
        .imports(engine)
        .filter(|(name, _)| !name.starts_with("wasi:"))
        .map(|(name, import)| match import.ty {
            ComponentItem::ComponentInstance(interface) => {
                (name.to_owned(), items(&interface, engine))
            }
            other => panic!("`{name}` is no interface but {other:?}"),
        })
        .collect()
}

/// The items of the one interface in a file, without its documentation.
pub(crate) fn declared(text: &str) -> String {
    let lines = text.lines().map(|line| line.trim().replace('%', ""));
    lines
        .skip_while(|line| !line.starts_with("interface "))
        .skip(1)
        .take_while(|line| !line.starts_with("world "))
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        // The last line closes the interface.
        .collect::<Vec<_>>()
        .split_last()
        .map(|(_, items)| items.iter().map(|line| format!("{line}\n")).collect())
        .unwrap()
}

fn items(interface: &ComponentInstance, engine: &wasmtime::Engine) -> String {
    let mut names: Vec<(String, Type)> = Vec::new();
    let mut text = String::new();
    for (name, item) in interface.exports(engine) {
        match item.ty {
            ComponentItem::Type(ty) => {
                text += &definition(name, &ty, &names);
                names.push((name.to_owned(), ty));
            }
            ComponentItem::ComponentFunc(function) => {
                text += &format!("{name}: {};\n", signature(&function, &names));
            }
            other => panic!("`{name}` is {other:?}"),
        }
    }
    text
}

fn definition(name: &str, ty: &Type, names: &[(String, Type)]) -> String {
    match ty {
        Type::Record(record) => {
            let field = |name: &str, ty: &Type| format!("{name}: {},\n", wit(ty, names));
            let fields: String = record.fields().map(|it| field(it.name, &it.ty)).collect();
            format!("record {name} {{\n{fields}}}\n")
        }
        Type::Variant(variant) => {
            let case = |name: &str, ty: Option<&Type>| match ty {
                Some(ty) => format!("{name}({}),\n", wit(ty, names)),
                None => format!("{name},\n"),
            };
            let cases: String = variant.cases().map(|it| case(it.name, it.ty.as_ref())).collect();
            format!("variant {name} {{\n{cases}}}\n")
        }
        other => panic!("`{name}` is {other:?}"),
    }
}

fn signature(function: &ComponentFunc, names: &[(String, Type)]) -> String {
    let params: Vec<String> =
        function.params().map(|(name, ty)| format!("{name}: {}", wit(&ty, names))).collect();
    let result = function.results().next().unwrap();
    format!("func({}) -> {}", params.join(", "), wit(&result, names))
}

fn wit(ty: &Type, names: &[(String, Type)]) -> String {
    if let Some((name, _)) = names.iter().find(|(_, named)| named == ty) {
        return name.clone();
    }
    match ty {
        Type::String => "string".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::U32 => "u32".to_owned(),
        Type::Float32 => "f32".to_owned(),
        Type::Option(option) => format!("option<{}>", wit(&option.ty(), names)),
        Type::List(list) => format!("list<{}>", wit(&list.ty(), names)),
        Type::Result(result) => {
            let part = |ty: Option<Type>| ty.map_or("_".to_owned(), |ty| wit(&ty, names));
            format!("result<{}, {}>", part(result.ok()), part(result.err()))
        }
        other => format!("{other:?}"),
    }
}
