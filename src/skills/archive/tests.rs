//! Archives made by hand, each damaged in one way.

mod package_dir;

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use tar::{EntryType, Header};

use super::{header::header, *};
use narratoria_protocol::digest::sha256;

/// Builds a tar entry by entry.
#[derive(Default)]
struct TarBuilder(Vec<u8>);

impl TarBuilder {
    /// Starts with the listing of these files and nothing else.
    fn listing(files: &[(&str, &str)]) -> TarBuilder {
        let lines = files.iter().map(|(path, content)| line(path, content));
        TarBuilder::default().file(LISTING_FILE, lines.collect::<String>())
    }

    /// Starts with a listing and its files, without a fault.
    fn of(files: &[(&str, &str)]) -> TarBuilder {
        files
            .iter()
            .fold(TarBuilder::listing(files), |tar, (path, content)| tar.file(path, content))
    }

    fn file(self, path: &str, content: impl AsRef<[u8]>) -> TarBuilder {
        let content = content.as_ref();
        self.entry(&header(path, content.len() as u64).unwrap(), content)
    }

    fn entry(mut self, header: &Header, content: &[u8]) -> TarBuilder {
        self.0.extend_from_slice(header.as_bytes());
        self.0.extend_from_slice(content);
        self.0.resize(self.0.len().next_multiple_of(512), 0);
        self
    }

    /// Adds a file with a changed header and its new checksum.
    fn file_with_header(self, path: &str, change: impl FnOnce(&mut Header)) -> TarBuilder {
        let mut header = header(path, 2).unwrap();
        change(&mut header);
        header.set_cksum();
        self.entry(&header, b"{}")
    }

    /// Ends the tar and zips it.
    fn zip(mut self) -> Vec<u8> {
        self.0.extend_from_slice(&[0; 1024]);
        zip(&self.0)
    }
}

fn line(path: &str, content: &str) -> String {
    format!("{}  {path}\n", sha256(content.as_bytes()))
}

fn zip(bytes: &[u8]) -> Vec<u8> {
    let mut zip = GzEncoder::new(Vec::new(), Compression::fast());
    zip.write_all(bytes).unwrap();
    zip.finish().unwrap()
}

/// The files of an archive, or the error.
fn read_result(archive: &[u8]) -> String {
    let mut kept = Vec::new();
    match read(archive, &mut |path, _| {
        kept.push(path.to_owned());
        Ok(())
    }) {
        Ok(()) => format!("ok: {}", kept.join(" ")),
        Err(error) => error.to_string(),
    }
}

const TWO: &[(&str, &str)] = &[("a.json", "{}"), ("b/c.json", "[]")];
const ONE: &[(&str, &str)] = &[("a.json", "{}")];

#[test]
fn a_plain_archive_gives_its_files_in_order() {
    insta::assert_snapshot!(read_result(&TarBuilder::of(TWO).zip()), @"ok: MANIFEST.sha256 a.json b/c.json");
    insta::assert_snapshot!(read_result(&TarBuilder::of(&[]).zip()), @"ok: MANIFEST.sha256");
}

#[test]
fn an_archive_that_is_cut_short_or_has_trailing_data_is_refused() {
    let whole = TarBuilder::of(TWO).zip();
    insta::assert_snapshot!(read_result(b""), @"it ends too early: it was cut short");
    insta::assert_snapshot!(read_result(b"PK\x03\x04 nothing of ours"), @"it is no gzip file, or a damaged one: invalid gzip header");
    insta::assert_snapshot!(read_result(&whole[..whole.len() - 9]), @"it ends too early: it was cut short");
    insta::assert_snapshot!(read_result(&whole[..40]), @"it ends too early: it was cut short");
    let mut sum = whole.clone();
    let at = sum.len() - 5;
    sum[at] ^= 1;
    insta::assert_snapshot!(read_result(&sum), @"it is no gzip file, or a damaged one: corrupt gzip stream does not have a matching checksum");
    insta::assert_snapshot!(read_result(&[&whole[..], b"x"].concat()), @"it has trailing data after its end");
    insta::assert_snapshot!(read_result(&[&whole[..], &whole[..]].concat()), @"it has trailing data after its end");
    let mut tar = TarBuilder::of(TWO).0;
    tar.extend_from_slice(&[0; 1024]);
    insta::assert_snapshot!(read_result(&zip(&tar[..tar.len() - 512])), @"it ends too early: it was cut short");
    tar.extend_from_slice(&[0; 512]);
    insta::assert_snapshot!(read_result(&zip(&tar)), @"it has trailing data after its end");
    let late = TarBuilder::of(ONE).0;
    let late = [&late[..], &[0; 512], &late[..]].concat();
    insta::assert_snapshot!(read_result(&zip(&late)), @"it has trailing data after its end");
}

/// For every length: no beginning of an archive is one itself, and none makes the reader panic.
#[test]
fn no_beginning_of_an_archive_is_one() {
    let whole = TarBuilder::of(TWO).zip();
    for length in 0..whole.len() {
        assert!(!read_result(&whole[..length]).starts_with("ok"), "{length} of {}", whole.len());
    }
}

#[test]
fn only_regular_files_of_one_form_are_accepted() {
    let of = |entry_type| {
        read_result(
            &TarBuilder::listing(ONE)
                .file_with_header("a.json", |it| it.set_entry_type(entry_type))
                .zip(),
        )
    };
    let link = |entry_type| {
        let change = |it: &mut Header| {
            it.set_entry_type(entry_type);
            it.set_link_name("/etc/passwd").unwrap();
        };
        read_result(&TarBuilder::listing(ONE).file_with_header("a.json", change).zip())
    };
    insta::assert_snapshot!(link(EntryType::Symlink), @"`a.json` is a link, an archive holds regular files only");
    insta::assert_snapshot!(link(EntryType::Link), @"`a.json` is a hard link, an archive holds regular files only");
    insta::assert_snapshot!(of(EntryType::Char), @"`a.json` is a device, an archive holds regular files only");
    insta::assert_snapshot!(of(EntryType::Block), @"`a.json` is a device, an archive holds regular files only");
    insta::assert_snapshot!(of(EntryType::Fifo), @"`a.json` is a pipe, an archive holds regular files only");
    insta::assert_snapshot!(of(EntryType::Directory), @"`a.json` is a folder, an archive holds regular files only");
    insta::assert_snapshot!(of(EntryType::GNUSparse), @"`a.json` is a sparse file, an archive holds regular files only");
    insta::assert_snapshot!(of(EntryType::GNULongName), @"`a.json` is a long name in the way of GNU, an archive holds regular files only");
    insta::assert_snapshot!(of(EntryType::XHeader), @"`a.json` is an extended header, an archive holds regular files only");
    insta::assert_snapshot!(of(EntryType::XGlobalHeader), @"`a.json` is an extended header, an archive holds regular files only");
    insta::assert_snapshot!(of(EntryType::Continuous), @"`a.json` is of a kind that is not known, an archive holds regular files only");
}

#[test]
fn a_header_with_times_owners_or_modes_is_refused() {
    let of = |change: fn(&mut Header)| {
        read_result(&TarBuilder::listing(ONE).file_with_header("a.json", change).zip())
    };
    insta::assert_snapshot!(of(|it| it.set_mtime(1)), @"the header of `a.json` is not as `skill pack` writes it: its time is not 0");
    insta::assert_snapshot!(of(|it| it.set_uid(1000)), @"the header of `a.json` is not as `skill pack` writes it: its owner is not 0");
    insta::assert_snapshot!(of(|it| it.set_username("zoe").unwrap()), @"the header of `a.json` is not as `skill pack` writes it: its owner is not 0");
    insta::assert_snapshot!(of(|it| it.set_mode(0o4755)), @"the header of `a.json` is not as `skill pack` writes it: its mode is not 644");
    insta::assert_snapshot!(of(|it| it.as_mut_bytes()[500] = 1), @"the header of `a.json` is not as `skill pack` writes it: it has more in it");
    // A length in GNU's form, for more than octal digits hold.
    insta::assert_snapshot!(of(|it| it.as_mut_bytes()[124] = 0x80), @"the header of `a.json` is not as `skill pack` writes it: it has more in it");
    let mut gnu = Header::new_gnu();
    gnu.set_path("a.json").unwrap();
    gnu.set_size(2);
    gnu.set_cksum();
    let gnu = TarBuilder::listing(ONE).entry(&gnu, b"{}").zip();
    insta::assert_snapshot!(read_result(&gnu), @"the header of `a.json` is not as `skill pack` writes it: it is of another dialect than ustar");
    let mut bare = header("a.json", 2).unwrap();
    bare.as_mut_bytes()[0] = b'b';
    let bare = TarBuilder::listing(ONE).entry(&bare, b"{}").zip();
    insta::assert_snapshot!(read_result(&bare), @"the header of entry 2 is damaged");
    let mut behind = TarBuilder::of(ONE);
    *behind.0.last_mut().unwrap() = 1;
    insta::assert_snapshot!(read_result(&behind.zip()), @"the header of `a.json` is not as `skill pack` writes it: the room behind its content is not empty");
}

#[test]
fn an_archive_holds_exactly_the_listed_files() {
    insta::assert_snapshot!(read_result(&TarBuilder::default().zip()), @"it begins with `its end`, the first entry must be `MANIFEST.sha256`");
    insta::assert_snapshot!(read_result(&TarBuilder::default().file("a.json", "{}").zip()), @"it begins with `a.json`, the first entry must be `MANIFEST.sha256`");
    insta::assert_snapshot!(read_result(&TarBuilder::of(ONE).file("z.json", "{}").zip()), @"`z.json` is not listed in `MANIFEST.sha256`");
    insta::assert_snapshot!(read_result(&TarBuilder::listing(ONE).file("0.json", "{}").file("a.json", "{}").zip()), @"`0.json` is not listed in `MANIFEST.sha256`");
    insta::assert_snapshot!(read_result(&TarBuilder::listing(TWO).file("a.json", "{}").zip()), @"`b/c.json` is listed in `MANIFEST.sha256` and not there");
    insta::assert_snapshot!(read_result(&TarBuilder::listing(TWO).file("b/c.json", "[]").file("a.json", "{}").zip()), @"`b/c.json` comes where `a.json` should");
    insta::assert_snapshot!(read_result(&TarBuilder::listing(TWO).file("a.json", "{}").file("a.json", "{}").zip()), @"`a.json` is there twice");
    insta::assert_snapshot!(read_result(&TarBuilder::of(ONE).file(LISTING_FILE, "").zip()), @"`MANIFEST.sha256` is there twice");
    insta::assert_snapshot!(read_result(&TarBuilder::listing(ONE).file("a.json", "[]").zip()), @"`a.json` is not the file that was packed: its digest is 4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945, listed is 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
}

#[test]
fn a_listing_is_in_the_form_of_sha256sum_sorted_and_whole() {
    let of = |text: &str| read_result(&TarBuilder::default().file(LISTING_FILE, text).zip());
    let (a, b) = (line("a", ""), line("b", ""));
    insta::assert_snapshot!(of(&format!("{b}{a}")), @"line 2 of `MANIFEST.sha256` is not sorted by path");
    insta::assert_snapshot!(of(&format!("{a}{a}")), @"line 2 of `MANIFEST.sha256` lists a file again");
    insta::assert_snapshot!(of(a.trim_end()), @"line 1 of `MANIFEST.sha256` has no line end");
    insta::assert_snapshot!(of(&a.to_uppercase()), @"line 1 of `MANIFEST.sha256` is not a digest, two spaces and a path");
    insta::assert_snapshot!(of(&a.replace("  ", " *")), @"line 1 of `MANIFEST.sha256` is not a digest, two spaces and a path");
    insta::assert_snapshot!(of(&format!("{a}\n")), @"line 2 of `MANIFEST.sha256` is not a digest, two spaces and a path");
    insta::assert_snapshot!(of("12ab  a\n"), @"line 1 of `MANIFEST.sha256` is not a digest, two spaces and a path");
}

#[test]
fn a_name_must_be_portable_and_stay_in_the_package() {
    let of =
        |path: &str| read_result(&TarBuilder::default().file(LISTING_FILE, line(path, "")).zip());
    insta::assert_snapshot!(of("/etc/passwd"), @"the name `/etc/passwd` cannot be used: it is absolute");
    insta::assert_snapshot!(of("a/../../b"), @"the name `a/../../b` cannot be used: it leads out of its folder");
    insta::assert_snapshot!(of("a//b"), @"the name `a//b` cannot be used: a part of it is empty");
    insta::assert_snapshot!(of("./a"), @"the name `./a` cannot be used: files and folders that begin with a dot are no part of a package");
    insta::assert_snapshot!(of("a/.git/config"), @"the name `a/.git/config` cannot be used: files and folders that begin with a dot are no part of a package");
    insta::assert_snapshot!(of("a\\b"), @r"the name `a\b` cannot be used: only letters and digits of ASCII, space and `._-+,=@()~` stand in a path");
    insta::assert_snapshot!(of("c:b"), @"the name `c:b` cannot be used: only letters and digits of ASCII, space and `._-+,=@()~` stand in a path");
    insta::assert_snapshot!(of("bühne.png"), @"the name `bühne.png` cannot be used: only letters and digits of ASCII, space and `._-+,=@()~` stand in a path");
    insta::assert_snapshot!(of("a. "), @"the name `a. ` cannot be used: a part of it begins with a space, or ends with one or a dot");
    insta::assert_snapshot!(of("Config.json"), @"the name `Config.json` cannot be used: it holds the values of a user, secrets too");
    insta::assert_snapshot!(of("manifest.SHA256"), @"the name `manifest.SHA256` cannot be used: it is the list itself");
    let both = |one: &str, other: &str| {
        let text = format!("{}{}", line(one, ""), line(other, ""));
        read_result(&TarBuilder::default().file(LISTING_FILE, text).zip())
    };
    insta::assert_snapshot!(both("Readme", "readme"), @"`readme` and `Readme` are the same on a machine that does not tell case apart, or one is a folder of the other");
    insta::assert_snapshot!(both("A/b", "a/c"), @"`a/c` and `A` are the same on a machine that does not tell case apart, or one is a folder of the other");
    insta::assert_snapshot!(both("a", "a/b"), @"`a/b` and `a` are the same on a machine that does not tell case apart, or one is a folder of the other");
}

#[test]
fn every_size_has_its_limit() {
    let lines = |count: usize| (0..count).map(|n| line(&format!("{n:04}"), "")).collect::<String>();
    let of =
        |listing: String| read_result(&TarBuilder::default().file(LISTING_FILE, listing).zip());
    insta::assert_snapshot!(of(lines(ARCHIVE_FILES_MAX)), @"`0000` is listed in `MANIFEST.sha256` and not there");
    insta::assert_snapshot!(of(lines(ARCHIVE_FILES_MAX + 1)), @"it has more than 2048 files");
    let deep = |folders: usize| of(line(&format!("{}x", "d/".repeat(folders)), ""));
    insta::assert_snapshot!(deep(ARCHIVE_DEPTH_MAX), @"`d/d/d/d/d/d/d/d/x` is listed in `MANIFEST.sha256` and not there");
    insta::assert_snapshot!(deep(ARCHIVE_DEPTH_MAX + 1), @"the name `d/d/d/d/d/d/d/d/d/x` cannot be used: it lies in more than 8 folders");
    let long = |bytes: usize| of(line(&"x".repeat(bytes), "")).replace(&"x".repeat(bytes), "x…");
    insta::assert_snapshot!(long(ARCHIVE_PATH_BYTES_MAX), @"`x…` is listed in `MANIFEST.sha256` and not there");
    insta::assert_snapshot!(long(ARCHIVE_PATH_BYTES_MAX + 1), @"the name `x…` cannot be used: a path may have at most 100 bytes");
    // Neither content is read: the header is enough.
    let big = header("a.json", ARCHIVE_FILE_BYTES_MAX + 1).unwrap();
    insta::assert_snapshot!(read_result(&TarBuilder::listing(ONE).entry(&big, b"").zip()), @"`a.json` has 33554433 bytes, at most 33554432 are allowed");
    let big = header(LISTING_FILE, LISTING_BYTES_MAX + 1).unwrap();
    insta::assert_snapshot!(read_result(&TarBuilder::default().entry(&big, b"").zip()), @"`MANIFEST.sha256` has 342017 bytes, at most 342016 are allowed");
}

/// Eleven files of 32 MiB of nothing are some 400 kB as an archive.
#[test]
fn a_small_archive_of_huge_files_is_refused() {
    let nothing = vec![0; usize::try_from(ARCHIVE_FILE_BYTES_MAX).unwrap()];
    let digest = sha256(&nothing);
    let listing: String = (10..21).map(|n| format!("{digest}  {n}\n")).collect();
    let mut zip = GzEncoder::new(Vec::new(), Compression::fast());
    zip.write_all(&TarBuilder::default().file(LISTING_FILE, listing).0).unwrap();
    for n in 10..21 {
        let header = header(&n.to_string(), ARCHIVE_FILE_BYTES_MAX).unwrap();
        zip.write_all(header.as_bytes()).unwrap();
        zip.write_all(&nothing).unwrap();
    }
    let archive = zip.finish().unwrap();
    assert!(archive.len() < 4 << 20, "{}", archive.len());
    insta::assert_snapshot!(read_result(&archive), @"it holds more than 335544320 bytes");
}
