//! Files at paths that a person or a package chose, and files of the player's home, in whose place something else may lie:
//! only regular ones, none past its limit, and no wait for the other end of a pipe.

use std::{
    fs::{File, OpenOptions},
    io::{self, ErrorKind, Read},
    path::Path,
};

/// Why such a file is not read.
#[derive(Debug, thiserror::Error)]
pub enum OutsideFileError {
    #[error("there is no such file")]
    Missing,
    /// A folder, a pipe, a socket or a device.
    #[error("is {kind}, not a regular file")]
    NotRegular { kind: &'static str },
    #[error("is longer than {limit} bytes")]
    TooLong { limit: u64 },
    #[error("cannot be read: {0}")]
    Io(#[source] io::Error),
}

impl From<OutsideFileError> for io::Error {
    fn from(error: OutsideFileError) -> io::Error {
        match error {
            OutsideFileError::Io(error) => error,
            OutsideFileError::Missing => ErrorKind::NotFound.into(),
            other => io::Error::other(other),
        }
    }
}

/// Opens a regular file. Returns at once for everything else: a pipe without a writer would block its reader for ever,
/// and a device may never end.
pub fn open_outside(path: &Path) -> Result<File, OutsideFileError> {
    // Asked before opening, because opening some devices has effects.
    refuse_special(&path.metadata().map_err(from_io)?)?;
    open_checked(path, OpenOptions::new().read(true))
}

/// Opens a regular file as the options say, such as a lock or a log of the program, or creates it. Returns at once, with an
/// error, for everything else that lies in its place.
pub fn open_regular(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let mut open = || {
        match path.metadata() {
            Ok(found) => refuse_special(&found)?,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(OutsideFileError::Io(error)),
        }
        open_checked(path, options)
    };
    open().map_err(io::Error::from)
}

/// Another file may have taken the place of the checked one in the meantime.
fn open_checked(path: &Path, options: &mut OpenOptions) -> Result<File, OutsideFileError> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, NONBLOCK);
    let file = options.open(path).map_err(from_io)?;
    refuse_special(&file.metadata().map_err(from_io)?)?;
    Ok(file)
}

/// Reads all of a regular file, or nothing if it is longer than `bytes_max`.
pub fn read_outside(path: &Path, bytes_max: u64) -> Result<Vec<u8>, OutsideFileError> {
    let file = open_outside(path)?;
    if file.metadata().map_err(from_io)?.len() > bytes_max {
        return Err(OutsideFileError::TooLong { limit: bytes_max });
    }
    let mut content = Vec::new();
    // The file may grow while it is read.
    file.take(bytes_max.saturating_add(1)).read_to_end(&mut content).map_err(from_io)?;
    if content.len() as u64 > bytes_max {
        return Err(OutsideFileError::TooLong { limit: bytes_max });
    }
    Ok(content)
}

/// Open without waiting for the other end of a pipe.
#[cfg(unix)]
pub(super) const NONBLOCK: i32 = rustix::fs::OFlags::NONBLOCK.bits() as i32;

fn refuse_special(metadata: &std::fs::Metadata) -> Result<(), OutsideFileError> {
    if metadata.is_file() {
        return Ok(());
    }
    Err(OutsideFileError::NotRegular { kind: special_kind(metadata.file_type()) })
}

#[cfg(unix)]
fn special_kind(kind: std::fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match kind {
        kind if kind.is_dir() => "a folder",
        kind if kind.is_fifo() => "a pipe",
        kind if kind.is_socket() => "a socket",
        _ => "a device",
    }
}

#[cfg(not(unix))]
fn special_kind(kind: std::fs::FileType) -> &'static str {
    if kind.is_dir() { "a folder" } else { "a device" }
}

fn from_io(error: io::Error) -> OutsideFileError {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => OutsideFileError::Missing,
        _ => OutsideFileError::Io(error),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs::{self, OpenOptions},
        path::Path,
    };

    use super::{open_regular, read_outside};

    fn show(path: &Path, bytes_max: u64) -> String {
        match read_outside(path, bytes_max) {
            Ok(bytes) => format!("{} bytes", bytes.len()),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_regular_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.json");
        fs::write(&path, "1234").unwrap();
        assert_eq!(show(&path, 4), "4 bytes");
        assert_eq!(show(&path, 3), "is longer than 3 bytes");
        assert_eq!(show(&folder.path().join("no"), 4), "there is no such file");
        assert_eq!(show(&path.join("no"), 4), "there is no such file");
        assert_eq!(show(folder.path(), 4), "is a folder, not a regular file");
    }

    #[cfg(unix)]
    #[test]
    fn nothing_waits_for_a_pipe_a_socket_or_a_device() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let kind = rustix::fs::FileType::Fifo;
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, kind, mode, 0).unwrap();
        assert_eq!(show(&pipe, 4), "is a pipe, not a regular file");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        assert_eq!(show(&link, 4), "is a pipe, not a regular file");
        let socket = folder.path().join("socket");
        let _bound = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert_eq!(show(&socket, 4), "is a socket, not a regular file");
        assert_eq!(show(Path::new("/dev/zero"), 4), "is a device, not a regular file");
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        for (path, why) in [(&pipe, "is a pipe"), (&socket, "is a socket")] {
            let error = open_regular(path, &mut options).unwrap_err().to_string();
            assert_eq!(error, format!("{why}, not a regular file"));
        }
        open_regular(&folder.path().join("new"), &mut options).unwrap();
        assert_eq!(show(&folder.path().join("new"), 4), "0 bytes");
    }
}
