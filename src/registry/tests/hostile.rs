//! Registries that lie, break off, move and send elsewhere.

use narratoria_protocol::digest::sha256;
use serde_json::{Value, json};

use super::{
    ARCHIVE, published,
    server::{FakeRegistry, nothing, ok, response},
};
use crate::{OciReference, Registry, WebClient};

/// The manifest that the package has, changed.
fn changed(server: &FakeRegistry, change: impl Fn(&mut Value)) -> Vec<u8> {
    let mut manifest = serde_json::from_slice(&server.manifest("1.2.0").unwrap()).unwrap();
    change(&mut manifest);
    manifest.to_string().into_bytes()
}

fn archive_path() -> String {
    format!("GET blobs/sha256:{}", sha256(ARCHIVE))
}

#[test]
fn a_tag_is_resolved_once_and_the_digest_is_kept() {
    let (server, visitor, first) = published();
    let reference = server.reference(":1.2.0");
    let registry = visitor.registry(&reference);
    let found = registry.find(&reference).unwrap();
    assert_eq!(found.reference, first.reference);
    // The tag moves between the two.
    server.put_blob(b"another archive");
    server.put_manifest(
        "1.2.0",
        &changed(&server, |manifest| {
            manifest["layers"][0]["digest"] =
                json!(format!("sha256:{}", sha256(b"another archive")));
            manifest["layers"][0]["size"] = json!(15);
        }),
    );
    let mut archive = Vec::new();
    registry.download(&found, &mut archive).unwrap();
    assert_eq!(archive, ARCHIVE);
    assert_eq!(server.lines(), ["GET manifests/1.2.0".to_owned(), archive_path()]);
    // Its digest still names the first, also beside the tag.
    let digest = first.reference.digest().unwrap();
    for behind in [format!("@{digest}"), format!(":1.2.0@{digest}")] {
        assert_eq!(visitor.pull(&server, &behind).unwrap().1, ARCHIVE);
        assert_eq!(server.lines(), [format!("GET manifests/{digest}"), archive_path()]);
    }
    assert_eq!(visitor.pull(&server, ":1.2.0").unwrap().1, b"another archive");
}

#[test]
fn without_a_tag_the_newest_release_is_found() {
    let (server, visitor, _) = published();
    for version in ["1.10.0", "1.9.0", "2.0.0-rc.1", "1.10.0+b"] {
        visitor.publish(&server, version, version.as_bytes(), None).unwrap();
    }
    server.put_manifest("latest", b"{}");
    let (found, archive) = visitor.pull(&server, "").unwrap();
    assert_eq!((found.reference.tag(), archive), (Some("1.10.0_b"), b"1.10.0+b".to_vec()));
    server.prepare("GET tags/list", ok(br#"{"tags": ["latest", "v1"]}"#));
    assert_eq!(visitor.pull_error(&server, ""), "the registry has no tag that names a version");
    server.prepare("GET tags/list", ok(br#"{"tags": null}"#));
    assert_eq!(visitor.pull_error(&server, ""), "the registry has no tag that names a version");
    let missing = visitor.pull_error(&server, ":7.0.0");
    assert_eq!(missing, format!("there is no `{}` in the registry", server.reference(":7.0.0")));
}

#[test]
fn something_else_than_was_asked_for_is_refused() {
    let (server, visitor, first) = published();
    let digest = first.reference.digest().unwrap();
    let other = changed(&server, |manifest| manifest["x"] = json!(1));
    server.prepare(&format!("GET manifests/{digest}"), ok(&other));
    let found = sha256(&other);
    assert_eq!(
        visitor.pull_error(&server, &format!("@{digest}")),
        format!("the registry sends something with the digest sha256:{found} for {digest}")
    );
    // The header is that of another one.
    let length = format!("content-length: {}\r\ndocker-content-digest: {digest}", other.len());
    server.prepare("GET manifests/1.2.0", response("200 OK", &length, &other));
    assert!(visitor.pull_error(&server, ":1.2.0").contains("sends something with the digest"));
    let mut wrong = ARCHIVE.to_vec();
    wrong[0] = b'T';
    server.prepare(&archive_path(), ok(&wrong));
    assert!(visitor.pull_error(&server, ":1.2.0").contains("sends something with the digest"));
}

#[test]
fn no_length_is_believed() {
    let (server, visitor, _) = published();
    let size = ARCHIVE.len();
    let length = |bytes: usize| format!("content-length: {bytes}");
    let cases = [
        (length(size + 7), format!("it has more than {size} bytes")),
        (
            length(size - 7),
            format!("the server says that it has {} bytes, and it has {size}", size - 7),
        ),
        (length(1 << 40), format!("it has more than {size} bytes")),
    ];
    for (header, expect) in cases {
        server.prepare(&archive_path(), response("200 OK", &header, ARCHIVE));
        assert_eq!(visitor.pull_error(&server, ":1.2.0"), expect, "{header}");
    }
    // Without any length, the bytes that are there count.
    let chunked = |bytes: &[u8]| {
        let body = [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n0\r\n\r\n"].concat();
        response("200 OK", "transfer-encoding: chunked", &body)
    };
    server.prepare(&archive_path(), chunked(&[ARCHIVE, b"more"].concat()));
    assert_eq!(visitor.pull_error(&server, ":1.2.0"), format!("it has more than {size} bytes"));
    for (said, expect) in [
        (json!(size + 1), "the server says that it has"),
        (json!(size - 1), "it has more than"),
        (json!(1_u64 << 40), "its archive has 1099511627776 bytes, a package has at most"),
        (json!(-1), "its manifest is no JSON of OCI"),
        (json!(1e30), "its manifest is no JSON of OCI"),
    ] {
        let manifest = changed(&server, |manifest| manifest["layers"][0]["size"] = said.clone());
        server.prepare("GET manifests/1.2.0", ok(&manifest));
        let error = visitor.pull_error(&server, ":1.2.0");
        assert!(error.starts_with(expect), "{said}: {error}");
    }
    server.prepare("GET manifests/1.2.0", ok(&vec![b' '; 70_000]));
    assert_eq!(visitor.pull_error(&server, ":1.2.0"), "it has more than 65536 bytes");
}

type ChangeOfManifest = Box<dyn Fn(&mut Value)>;

#[test]
fn what_is_no_package_of_ours_is_refused_by_its_name() {
    let (server, visitor, _) = published();
    let type_of_list = "application/vnd.docker.distribution.manifest.list.v2+json";
    let layer: Value = serde_json::from_slice(&server.manifest("1.2.0").unwrap()).unwrap();
    let layer = layer["layers"][0].clone();
    let cases: Vec<(ChangeOfManifest, &str)> = vec![
        (
            Box::new(|it| it["artifactType"] = json!("application/vnd.cncf.skill.v1")),
            "it is of the type `application/vnd.cncf.skill.v1`",
        ),
        (
            Box::new(|it| {
                it.as_object_mut().unwrap().remove("artifactType");
            }),
            "it is of the type `application/vnd.oci.empty.v1+json`",
        ),
        (
            Box::new(|it| it["manifests"] = json!([])),
            "it is a list of images for several platforms",
        ),
        (
            Box::new(|it| it["mediaType"] = json!("application/vnd.oci.image.index.v1+json")),
            "it is a list of images",
        ),
        (Box::new(move |it| it["mediaType"] = json!(type_of_list)), "it is a list of images"),
        (
            Box::new(|it| {
                it["mediaType"] = json!("application/vnd.docker.distribution.manifest.v2+json")
            }),
            "it is of the type `application/vnd.docker",
        ),
        (Box::new(move |it| it["layers"] = json!([layer, layer])), "it has 2 layers"),
        (Box::new(|it| it["layers"] = json!([])), "it has 0 layers"),
        (
            Box::new(|it| it["layers"][0]["mediaType"] = json!("application/wasm")),
            "its layer is of the type `application/wasm`",
        ),
        (
            Box::new(|it| it["layers"][0]["digest"] = json!("sha512:abc")),
            "in its manifest, `sha512:abc` is no digest",
        ),
    ];
    for (change, expect) in cases {
        server.prepare("GET manifests/1.2.0", ok(&changed(&server, change)));
        let error = visitor.pull_error(&server, ":1.2.0");
        assert!(error.starts_with(expect), "{expect}: {error}");
    }
    let twice = br#"{"mediaType": "a", "mediaType": "b"}"#;
    for text in [&b""[..], b"[]", b"{", twice, b"\xff"] {
        server.prepare("GET manifests/1.2.0", ok(text));
        assert!(visitor.pull(&server, ":1.2.0").is_err(), "{text:?}");
    }
}

#[test]
fn a_transfer_goes_on_where_it_broke() {
    let (server, visitor, _) = published();
    let size = ARCHIVE.len();
    let cut = |to: usize| response("200 OK", &format!("content-length: {size}"), &ARCHIVE[..to]);
    let part = |from: usize, to: usize| {
        let (length, last) = (size - from, size - 1);
        let header =
            format!("content-length: {length}\r\ncontent-range: bytes {from}-{last}/{size}");
        response("206 Partial Content", &header, &ARCHIVE[from..to])
    };
    let ranges = |server: &FakeRegistry| -> Vec<String> {
        let requests = server.requests().into_iter().filter(|seen| seen.path.contains("blobs"));
        let ranges = requests.map(|seen| seen.headers.get("range").cloned().unwrap_or_default());
        ranges.collect()
    };
    for response in [cut(10), part(10, 30), part(30, size)] {
        server.prepare(&archive_path(), response);
    }
    assert_eq!(visitor.pull(&server, ":1.2.0").unwrap().1, ARCHIVE);
    assert_eq!(ranges(&server), ["", "bytes=10-", "bytes=30-"]);
    // A server that knows no ranges sends everything again.
    server.prepare(&archive_path(), cut(10));
    assert_eq!(visitor.pull(&server, ":1.2.0").unwrap().1, ARCHIVE);
    let cases = [
        // Another part than was asked for.
        (vec![cut(10), part(20, size)], "the server answers with status 206"),
        // It comes no further.
        (vec![cut(10), part(10, 10)], "the connection ended after 10 bytes of"),
        (vec![cut(10), nothing("416 No", "x-a: b")], "the connection ended after 10 bytes of"),
        (vec![cut(10), nothing("404 No", "x-a: b")], "there is no such file on the server"),
        (
            (0..7).map(|at| if at == 0 { cut(1) } else { part(at, at + 1) }).collect(),
            "the connection ended after 6 bytes of",
        ),
    ];
    for (responses, expect) in cases {
        let (server, visitor, _) = published();
        for response in responses {
            server.prepare(&archive_path(), response);
        }
        let error = visitor.pull_error(&server, ":1.2.0");
        assert!(error.starts_with(expect), "{expect}: {error}");
    }
}

#[test]
fn a_busy_registry_is_asked_again_as_often_as_it_says_within_limits() {
    let (server, visitor, _) = published();
    let busy = |header: &str| nothing("429 Too Many Requests", header);
    for _ in 0..3 {
        server.prepare("GET manifests/1.2.0", busy("retry-after: 0"));
    }
    server.prepare(&archive_path(), nothing("503 Busy", "retry-after: 0"));
    assert_eq!(visitor.pull(&server, ":1.2.0").unwrap().1, ARCHIVE);
    for (header, expect) in [
        ("retry-after: 3600", "the server has no time (status 429) and asks to wait 3600 seconds"),
        ("retry-after: 99999999999999999999", "the server has no time (status 429)"),
        ("retry-after: Fri, 31 Dec 1999 23:59:59 GMT", "the server has no time (status 429)"),
        ("x-a: b", "the server has no time (status 429)"),
    ] {
        server.prepare("GET manifests/1.2.0", busy(header));
        let error = visitor.pull_error(&server, ":1.2.0");
        assert!(error.starts_with(expect), "{header}: {error}");
    }
    for _ in 0..4 {
        server.prepare("GET manifests/1.2.0", nothing("503 Busy", "retry-after: 0"));
    }
    let error = visitor.pull_error(&server, ":1.2.0");
    assert!(error.starts_with("the server has no time (status 503)"), "{error}");
}

#[test]
fn a_redirect_to_another_server_carries_no_token() {
    let (server, visitor, _) = published();
    let other = FakeRegistry::start();
    server.lock("Bearer secret", &format!("Bearer realm=\"{}\"", server.url("/token")));
    for path in ["/token", "/token"] {
        server.prepare(&format!("GET {path}"), ok(br#"{"token": "secret"}"#));
    }
    let elsewhere = |place: String| nothing("307 Elsewhere", &format!("location: {place}"));
    other.prepare("GET /store", ok(ARCHIVE));
    server.prepare(&archive_path(), elsewhere(other.url("/store?signed=1")));
    assert_eq!(visitor.pull(&server, ":1.2.0").unwrap().1, ARCHIVE);
    let had_token = |server: &FakeRegistry| -> Vec<bool> {
        server.requests().iter().map(|seen| seen.headers.contains_key("authorization")).collect()
    };
    assert_eq!(had_token(&other), [false]);
    // The first request has none yet, and the server of tokens gets none.
    assert_eq!(had_token(&server), [false, false, true, true]);
    // What that server asks for is none of the registry's business.
    other.prepare("GET /store", nothing("401 No", "www-authenticate: Basic realm=\"x\""));
    server.prepare(&archive_path(), elsewhere(other.url("/store")));
    assert_eq!(visitor.pull_error(&server, ":1.2.0"), "the registry does not allow it");
    // The same machine under another name is another server too.
    let localhost =
        server.url("/v2/team/weather/manifests/1.2.0").replace("127.0.0.1", "localhost");
    let (server, visitor, _) = published();
    server.prepare("GET manifests/1.2.0", elsewhere(localhost));
    assert!(visitor.pull(&server, ":1.2.0").is_err());
    for (place, expect) in [
        ("http://a.example/x", "is not `https`"),
        ("https://a.example/x", "the program is offline"),
        ("file:///etc/passwd", "it redirects to an address that is not followed"),
        ("http://zoe:tide@127.0.0.1/x", "has a user name"),
    ] {
        server.prepare("GET manifests/1.2.0", elsewhere(place.to_owned()));
        let error = visitor.pull_error(&server, ":1.2.0");
        assert!(error.contains(expect) && !error.contains("tide"), "{expect}: {error}");
    }
    for _ in 0..6 {
        server.prepare("GET manifests/1.2.0", elsewhere("1.2.0".to_owned()));
    }
    assert_eq!(visitor.pull_error(&server, ":1.2.0"), "it redirects more than 5 times");
}

#[test]
fn a_list_that_never_ends_or_leads_elsewhere_is_given_up() {
    let (server, visitor, _) = published();
    let page = |next: &str| {
        let body = br#"{"tags": ["1.2.0"]}"#;
        let length = body.len();
        response(
            "200 OK",
            &format!("content-length: {length}\r\nlink: <{next}>; rel=\"next\""),
            body,
        )
    };
    server.prepare("GET tags/list", page("/v2/team/weather/tags/list?last=1.2.0"));
    server.prepare("GET tags/list?last", ok(br#"{"tags": ["1.3.0"]}"#));
    let reference = server.reference("");
    let newest = visitor.registry(&reference).newest().unwrap().unwrap();
    assert_eq!(newest.to_string(), "1.3.0");
    let other = FakeRegistry::start();
    for next in ["list?last=1.2.0", &other.url("/v2/team/weather/tags/list")] {
        for _ in 0..16 {
            server.prepare("GET tags/list", page(next));
        }
        let error = visitor.registry(&reference).newest().unwrap_err().to_string();
        assert_eq!(error, "the registry sends a list of tags that has no end", "{next}");
        assert!(other.requests().is_empty());
        // Those that are left over.
        for _ in 0..16 {
            drop(visitor.registry(&reference).newest());
        }
    }
    server.prepare("GET tags/list", ok(br#"{"tags": 7}"#));
    let error = visitor.registry(&reference).newest().unwrap_err().to_string();
    assert!(error.starts_with("the registry's list of tags cannot be used: "), "{error}");
}

#[test]
fn a_far_registry_is_asked_with_https_alone_and_not_offline() {
    let (client, credentials) = (WebClient::new(true), crate::CredentialFiles::default());
    let reference = OciReference::parse("oci://a.example/weather:1.2.0").unwrap();
    let registry = Registry::open(&client, &credentials, &reference).unwrap();
    let error = registry.find(&reference).unwrap_err().to_string();
    assert_eq!(error, "the program is offline");
}
