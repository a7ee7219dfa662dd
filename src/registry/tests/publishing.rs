//! What is published is found as it was, with its signatures, or the tag does not move.

use serde_json::{Value, json};

use super::{
    ARCHIVE, RegistryVisitor, published,
    server::{FakeRegistry, nothing, ok},
};

const SIGNATURE: &[u8] = b"untrusted comment: x\n";

fn signatures(visitor: &RegistryVisitor, server: &FakeRegistry) -> Result<Vec<Vec<u8>>, String> {
    let reference = server.reference(":1.2.0");
    let registry = visitor.registry(&reference);
    let found = registry.find(&reference).unwrap();
    registry.signatures(&found).map_err(|error| error.to_string())
}

#[test]
fn a_package_is_published_with_its_signature_before_its_tag_moves() {
    for server in [FakeRegistry::start(), FakeRegistry::start().with_referrers()] {
        let visitor = RegistryVisitor::stranger();
        let first = visitor.publish(&server, "1.2.0", ARCHIVE, Some(SIGNATURE)).unwrap();
        assert!(!first.is_unchanged);
        assert_eq!(server.lines().pop(), Some("PUT manifests/1.2.0".to_owned()));
        let (found, archive) = visitor.pull(&server, ":1.2.0").unwrap();
        assert_eq!((&found.reference, archive), (&first.reference, ARCHIVE.to_vec()));
        assert_eq!(signatures(&visitor, &server), Ok(vec![SIGNATURE.to_vec()]));
        // Again, nothing is sent twice and nothing changes.
        server.forget_requests();
        let again = visitor.publish(&server, "1.2.0", ARCHIVE, Some(SIGNATURE)).unwrap();
        assert!(again.is_unchanged);
        assert_eq!(again.reference, first.reference);
        let uploads = server.lines().into_iter().filter(|line| line.contains("uploads"));
        assert_eq!(uploads.count(), 0);
        assert_eq!(signatures(&visitor, &server), Ok(vec![SIGNATURE.to_vec()]));
        // Another one does not take its tag, and leaves no trace that others would find.
        let error = visitor.publish(&server, "1.2.0", b"another", None).unwrap_err().to_string();
        let digest = first.reference.digest().unwrap();
        assert_eq!(error, format!("the tag `1.2.0` has another package already, {digest}"));
        assert_eq!(visitor.pull(&server, ":1.2.0").unwrap().1, ARCHIVE);
    }
}

#[test]
fn the_manifest_is_one_of_oci_1_1() {
    let (server, _, _) = published();
    let manifest: Value = serde_json::from_slice(&server.manifest("1.2.0").unwrap()).unwrap();
    let layer = manifest["layers"][0].clone();
    assert_eq!(
        manifest,
        json!({
            "schemaVersion": 2,
            "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "artifactType": "application/vnd.narratoria.skill.v1+tar.gz",
            "config": {
                "mediaType": "application/vnd.oci.empty.v1+json",
                "digest": "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
                "size": 2,
            },
            "layers": [{
                "mediaType": "application/vnd.oci.image.layer.v1.tar+gzip",
                "digest": layer["digest"],
                "size": ARCHIVE.len(),
                "annotations": {"org.opencontainers.image.title": "weather-1.2.0.skill.tar.gz"},
            }],
            "annotations": {
                "org.opencontainers.image.title": "weather",
                "org.opencontainers.image.version": "1.2.0",
            },
        })
    );
}

#[test]
fn a_registry_that_loses_or_changes_something_does_not_get_the_tag() {
    let digest = narratoria_protocol::digest::sha256(ARCHIVE);
    let cases: [(&str, Vec<u8>, &str); 6] = [
        (
            "POST blobs/uploads/",
            nothing("202 Accepted", "x-a: b"),
            "the registry names no address for the upload",
        ),
        (
            "POST blobs/uploads/",
            nothing("202 Accepted", "location: http://a.example/x"),
            "is not `https`",
        ),
        (
            "POST blobs/uploads/",
            nothing("500 Oh", "x-a: b"),
            "the registry answers with status 500",
        ),
        (
            "PUT blobs/uploads/",
            nothing("413 Too Large", "x-a: b"),
            "the registry answers with status 413",
        ),
        ("HEAD blobs/", nothing("200 OK", "x-a: b"), "there is no such file on the server"),
        (
            "PUT manifests/sha256",
            nothing("400 Bad", "x-a: b"),
            "the registry answers with status 400",
        ),
    ];
    for (request, response, expect) in cases {
        let (server, visitor) = (FakeRegistry::start(), RegistryVisitor::stranger());
        if request.starts_with("HEAD") {
            // The first is the empty config, which nobody reads.
            server.prepare(request, nothing("404 No", "x-a: b"));
        }
        server.prepare(request, response);
        let published = visitor.publish(&server, "1.2.0", ARCHIVE, Some(SIGNATURE));
        let error = published.unwrap_err().to_string();
        assert!(error.contains(expect), "{expect}: {error}");
        assert_eq!(server.manifest("1.2.0"), None, "{expect}");
    }
    let (server, visitor) = (FakeRegistry::start(), RegistryVisitor::stranger());
    server.prepare(&format!("GET blobs/sha256:{digest}"), ok(&vec![b'x'; ARCHIVE.len()]));
    assert!(visitor.publish(&server, "1.2.0", ARCHIVE, None).is_err());
    assert_eq!(server.manifest("1.2.0"), None);
}

#[test]
fn an_upload_elsewhere_carries_no_token() {
    let (server, other) = (FakeRegistry::start(), FakeRegistry::start());
    server.lock("Basic em9lOnRpZGU=", "Basic realm=\"x\"");
    let visitor = RegistryVisitor::with(
        &json!({"auths": {(server.host()): {"auth": "em9lOnRpZGU="}}}).to_string(),
    );
    let location = format!("location: {}", other.url("/upload?x=1"));
    // The first upload asks for the password.
    server.prepare("HEAD blobs/", nothing("401 No", "www-authenticate: Basic realm=\"x\""));
    server.prepare("POST blobs/uploads/", nothing("202 Accepted", &location));
    other.prepare("PUT /upload?x=1&digest=sha256%3A", nothing("201 Created", "x-a: b"));
    let _ = visitor.publish(&server, "1.2.0", ARCHIVE, None);
    let asked = other.requests();
    assert_eq!((asked.len(), asked[0].headers.get("authorization")), (1, None));
    assert_eq!(asked[0].body, b"{}");
    assert!(server.requests().iter().any(|seen| seen.headers.contains_key("authorization")));
}

#[test]
fn lists_of_referrers_keep_what_others_put_there() {
    let (server, visitor, first) = published();
    let digest = first.reference.digest().unwrap();
    let tag = format!("sha256-{}", digest.hex());
    let other = json!({
        "mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": "sha512:x", "size": 1,
        "artifactType": "application/vnd.other", "annotations": {"a": "b"},
    });
    server.put_manifest(
        &tag,
        json!({"schemaVersion": 2, "manifests": [other, 7]}).to_string().as_bytes(),
    );
    assert_eq!(signatures(&visitor, &server), Ok(Vec::new()));
    visitor.publish(&server, "1.2.0", ARCHIVE, Some(SIGNATURE)).unwrap();
    let list: Value = serde_json::from_slice(&server.manifest(&tag).unwrap()).unwrap();
    assert_eq!((&list["manifests"][0], list["manifests"].as_array().unwrap().len()), (&other, 3));
    assert_eq!(signatures(&visitor, &server), Ok(vec![SIGNATURE.to_vec()]));
}

#[test]
fn signatures_are_few_and_small_and_what_is_none_is_refused() {
    let (server, visitor, _) = published();
    for count in 1..=9 {
        let signature = format!("signature {count}");
        let published = visitor.publish(&server, "1.2.0", ARCHIVE, Some(signature.as_bytes()));
        match count {
            9 => assert_eq!(published.unwrap_err().to_string(), "it has more than 8 signatures"),
            _ => assert!(published.is_ok(), "{count}"),
        }
    }
    let (server, visitor) = (FakeRegistry::start(), RegistryVisitor::stranger());
    let long = vec![b'x'; 5_000];
    let error = visitor.publish(&server, "1.2.0", ARCHIVE, Some(&long)).unwrap_err().to_string();
    assert_eq!(error, "it has more than 4096 bytes");
    // The list names a manifest as a signature that is none.
    let (server, visitor, first) = published();
    let (digest, size) =
        (first.reference.digest().unwrap(), server.manifest("1.2.0").unwrap().len());
    let entry = json!({
        "mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": digest.to_string(), "size": size,
        "artifactType": "application/vnd.narratoria.skill.signature.v1+minisign",
    });
    let list = json!({"manifests": [entry]}).to_string();
    server.put_manifest(&format!("sha256-{}", digest.hex()), list.as_bytes());
    let error = signatures(&visitor, &server).unwrap_err();
    assert!(
        error.starts_with("it is of the type `application/vnd.narratoria.skill.v1+tar.gz`"),
        "{error}"
    );
    server.put_manifest(&format!("sha256-{}", digest.hex()), b"{");
    assert!(signatures(&visitor, &server).is_err());
}
