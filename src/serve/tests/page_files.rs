//! The page as the program has it.

use std::io::Read as _;

use flate2::read::GzDecoder;

use super::client::TestServer;

/// The addresses of files that a text has between quotes or parentheses.
fn addresses(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("/assets/") {
        let path = text[at..].split(['"', '\'', '`', ')']).next().unwrap();
        // Otherwise it is the end of another address.
        if text[..at].ends_with(['"', '\'', '`', '(']) {
            found.push(path.to_owned());
        }
    }
    found
}

#[tokio::test]
async fn the_page_leads_to_all_of_its_files_and_they_are_kept_for_ever() {
    let server = TestServer::start().await;
    let index = server.get("/").await;
    assert_eq!(index.header("cache-control"), Some("no-store"));
    assert_eq!(index.header("content-type"), Some("text/html; charset=utf-8"));
    let hash = server.get("/api/about").await.json()["page"].as_str().unwrap().to_owned();
    let mut open = addresses(std::str::from_utf8(&index.body).unwrap());
    assert!(open.len() >= 2, "{open:?}");
    let mut seen = Vec::new();
    while let Some(path) = open.pop() {
        if seen.contains(&path) {
            continue;
        }
        assert!(path.contains(&format!(".{hash}.")), "{path}");
        let file = server.get(&path).await;
        assert_eq!(file.status, 200, "{path}");
        let kept = Some("public, max-age=31536000, immutable");
        assert_eq!(file.header("cache-control"), kept, "{path}");
        if let Ok(text) = String::from_utf8(file.body) {
            assert!(!text.contains("from \"./"), "{path} names a module that has another name");
            open.extend(addresses(&text));
        }
        seen.push(path);
    }
}

/// The policy of the page would not run it.
#[tokio::test]
async fn the_page_has_no_code_and_no_style_of_its_own() {
    let server = TestServer::start().await;
    let index = String::from_utf8(server.get("/").await.body).unwrap();
    for tag in index.split("<script").skip(1) {
        assert!(tag.split('>').next().unwrap().contains("src="), "{tag}");
    }
    for word in ["<style", " style=", " onclick=", " onload=", "javascript:", "http://", "https://"]
    {
        assert!(!index.contains(word), "{word}");
    }
}

#[tokio::test]
async fn a_file_of_another_version_is_not_there() {
    let server = TestServer::start().await;
    for path in ["/assets/main.js", "/assets/main.0000000000000000.js", "/main.js"] {
        assert_eq!(server.get(path).await.fault(), "404 not-found", "{path}");
    }
}

#[tokio::test]
async fn a_file_is_compressed_for_those_who_say_that_they_read_it() {
    let server = TestServer::start().await;
    let index = server.get("/").await;
    let path = addresses(std::str::from_utf8(&index.body).unwrap()).remove(0);
    let plain = server.get(&path).await;
    assert_eq!(plain.header("content-encoding"), None);
    let packed = server.send(&format!("GET {path}"), &["accept-encoding: br, gzip"], b"").await;
    assert_eq!(packed.header("vary"), Some("accept-encoding"));
    if packed.header("content-encoding") == Some("gzip") {
        let mut text = Vec::new();
        GzDecoder::new(&packed.body[..]).read_to_end(&mut text).unwrap();
        assert_eq!(text, plain.body);
    } else {
        assert_eq!(packed.body, plain.body);
    }
    let refused = server.send(&format!("GET {path}"), &["accept-encoding: gzip;q=0"], b"").await;
    assert_eq!(refused.header("content-encoding"), None);
}
