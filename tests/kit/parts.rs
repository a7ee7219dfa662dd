//! A check in parts: packages on their way to a worker, and reports on their way back.

use std::{fs, time::Duration};

use narratoria_kit::check::{
    BundleError, CheckPart, CheckTarget, PackageReport, TargetKind, bundle_package, lost_part,
    merge_parts, open_bundle, part_differs, read_part, repeatable_digest, undone_part, write_part,
};
use tar::{Builder, EntryType, Header};

fn target() -> CheckTarget {
    CheckTarget {
        name: "moon".to_owned(),
        display_name: "skills/moon".to_owned(),
        folder: "/nowhere".into(),
        kind: TargetKind::Package,
        signer: None,
    }
}

fn requests(script: &str) -> CheckPart {
    CheckPart::Requests { script: script.to_owned() }
}

/// A report with one finding.
fn report(script: &str) -> PackageReport {
    let report = lost_part(&target(), &requests(script));
    PackageReport { examples: 2, hostile: 5, ..report }
}

#[test]
fn a_report_comes_back_as_it_was_sent() {
    let sent = PackageReport { took: Duration::from_millis(7), ..report("act") };
    assert_eq!(read_part(&target(), &write_part(&sent)).unwrap(), sent);
    for (from, to) in [("check/worker-lost", "check/moon"), ("\"version\":1", "\"version\":2")] {
        let text = write_part(&sent).replacen(from, to, 1);
        assert!(read_part(&target(), &text).is_err(), "{text}");
    }
}

#[test]
fn speed_makes_no_difference_between_reports_and_everything_else_does() {
    let one = report("act");
    let slow = PackageReport { took: Duration::from_secs(9), ..one.clone() };
    assert_eq!(repeatable_digest(&one), repeatable_digest(&slow));
    assert_ne!(repeatable_digest(&one), repeatable_digest(&report("other")));
    let fewer = PackageReport { examples: 1, ..one.clone() };
    assert_ne!(repeatable_digest(&one), repeatable_digest(&fewer));
}

#[test]
fn a_package_is_reported_by_its_parts_and_by_what_is_missing() {
    let parts = vec![
        report("act"),
        part_differs(report("act"), &requests("act")),
        undone_part(&target(), &CheckPart::Package, "which no worker did in time"),
    ];
    let whole = merge_parts(&target(), parts);
    assert_eq!((whole.examples, whole.hostile), (4, 10));
    let lines =
        whole.findings.iter().map(|finding| format!("{}: {}\n", finding.rule.id, finding.what));
    insta::assert_snapshot!(lines.collect::<String>(), @"
    check/not-repeatable: two workers have different results of the part `requests:act`
    check/time-budget: the time was over before these parts: the files and examples of the package, which no worker did in time
    check/worker-lost: the part `requests:act` was given up: its workers were lost each time
    ");
}

#[test]
fn a_package_is_the_same_on_the_other_side() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let long = format!("{}/{}", "a".repeat(90), "b".repeat(90));
    for file in ["skill.json", "scripts/a.wasm", &long] {
        let path = from.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, file).unwrap();
    }
    fs::create_dir(from.path().join("empty")).unwrap();
    let bytes = bundle_package(from.path()).unwrap();
    assert_eq!(bytes, bundle_package(from.path()).unwrap());
    open_bundle(&bytes, to.path()).unwrap();
    assert_eq!(fs::read(to.path().join(&long)).unwrap(), long.as_bytes());
    assert!(to.path().join("empty").is_dir());
    assert_eq!(bytes, bundle_package(to.path()).unwrap());
}

#[cfg(unix)]
#[test]
fn what_is_no_plain_file_is_refused_on_both_sides() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::os::unix::fs::symlink("/etc/passwd", from.path().join("link")).unwrap();
    assert!(matches!(bundle_package(from.path()), Err(BundleError::NotPlain)));
    let refused = |path: &str, kind: EntryType| {
        let mut header = Header::new_gnu();
        // As written by someone who wants out: the crate's own writer would refuse it.
        header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_entry_type(kind);
        header.set_link_name("/etc/passwd").unwrap();
        header.set_size(0);
        header.set_cksum();
        let mut tar = Builder::new(Vec::new());
        tar.append(&header, std::io::empty()).unwrap();
        open_bundle(&tar.into_inner().unwrap(), to.path()).unwrap_err().to_string()
    };
    let said =
        |path: &str| format!("the bundle has an entry that is no plain file or folder: `{path}`");
    assert_eq!(refused("link", EntryType::Symlink), said("link"));
    assert_eq!(refused("hard", EntryType::Link), said("hard"));
    assert_eq!(refused("../out", EntryType::Regular), said("../out"));
    assert_eq!(refused("/out", EntryType::Regular), said("/out"));
    assert_eq!(fs::read_dir(to.path()).unwrap().count(), 0);
}
