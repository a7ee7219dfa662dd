//! Packages that stay below every limit of one thing and pile up many.

use serde_json::{Value, json};

use crate::strangers::package::{Stranger, Verdict};

fn log(bytes: usize) -> String {
    json!({"version": "0", "type": "log", "level": "info", "message": "x".repeat(bytes)})
        .to_string()
}

fn case(name: &str, orders: Value) -> Stranger {
    Stranger::new(format!("a script that {name}"), Verdict::Loads).orders(orders)
}

pub(crate) fn all() -> Vec<Stranger> {
    [outputs(), folders()].concat()
}

fn outputs() -> Vec<Stranger> {
    vec![
        case("logs 9,900 lines in each of 16 steps", json!([["say", log(40), 9_900]])).steps(16),
        case("logs four megabytes and fails, with retries", {
            json!([["say", log(400), 9_000], ["fail", "NO_LUCK"]])
        }),
        case("logs four megabytes in sixteen steps", json!([["say", log(400), 8_000]])).steps(16),
        case("fails with a code of a hundred kilobytes", json!([["fail", "X".repeat(100_000)]])),
        case("writes ui events of a kilobyte without end", {
            let event = json!({"version": "0", "type": "ui_event", "event": "toast",
                "payload": {"text": "x".repeat(1_000)}});
            json!([["say", event.to_string(), 3_900]])
        })
        .steps(8),
        case("tells a story of nearly a megabyte", {
            let line = json!({"version": "0", "type": "done", "ok": true,
                "output": {"text": "la ".repeat(300_000)}});
            json!([["say", line.to_string(), 1]])
        }),
    ]
}

fn folders() -> Vec<Stranger> {
    let png = "\u{89}PNG\r\n\u{1a}\n";
    vec![
        case("leaves sixty megabytes that it announced to nobody", {
            json!([["write", "/assets/left.txt", "x".repeat(60_000), 1_000]])
        })
        .steps(2),
        case("hides files deeper than a path can name", {
            json!([["nest", "/assets", 40], ["write", "hidden", "x".repeat(60_000), 400]])
        })
        .steps(2),
        case("keeps files deeper than a path can name", {
            json!([["nest", "/data", 40], ["write", "hidden", "x".repeat(60_000), 400]])
        })
        .steps(2),
        case("announces a text that is a native program", {
            json!([
                ["write", "/assets/a.txt", "\u{7f}ELF\u{2}\u{1}\u{1}\0\0\0", 9],
                ["asset", "a.txt", "text/plain"]
            ])
        }),
        case("announces a text that is a script of the shell", {
            json!([
                ["write", "/assets/a.txt", "#!/bin/sh\nrm -rf ~\n", 1],
                ["asset", "a.txt", "text/plain"]
            ])
        }),
        case("announces texts with endings that other programs run", {
            let orders: Vec<Value> =
                ["svg", "html", "js", "desktop", "bat", "lnk", "ps1", "hta", "xhtml", "url"]
                    .iter()
                    .flat_map(|ending| {
                        let path = format!("a.{ending}");
                        [
                            json!([
                                "write",
                                format!("/assets/{path}"),
                                "<script>alert(1)</script>",
                                1
                            ]),
                            json!(["asset", path, "text/plain"]),
                        ]
                    })
                    .collect();
            json!(orders)
        }),
        case("announces pictures that lie elsewhere", {
            let paths = ["../../x.png", "/etc/passwd", "a/../../b.png", "~/x.png", "C:\\x.png", ""];
            paths.iter().map(|path| json!(["asset", path, "image/png"])).collect()
        }),
        case("swaps an asset after it announced it", {
            json!([
                ["write", "/assets/a.png", png, 1],
                ["asset", "a.png", "image/png"],
                ["write", "/assets/a.png", "MZ\u{90}\0this is no picture", 1]
            ])
        }),
    ]
}
