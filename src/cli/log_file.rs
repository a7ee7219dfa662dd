//! The log file in the home folder: what happened, with times, for a person who looks for a fault. Rotation by size and count
//! bounds it. Several processes may write to it at once.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use narratoria_skills::open_regular;
use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// Most bytes of the file before the next one begins. A turn takes about a kilobyte.
const LOG_FILE_BYTES_MAX: u64 = 4 << 20;

/// Most files that are kept, including the one that is written.
const LOG_FILES_MAX: usize = 4;

/// Longest line; the rest is left out. A line may quote a package or a script.
const LOG_LINE_BYTES_MAX: usize = 16 << 10;

const FILE_NAME: &str = "narratoria.log";

/// Processes that begin the next file take turns by locking this one.
const LOCK_NAME: &str = "narratoria.log.lock";

/// The log. Opens its file with the first line, so that a command that logs nothing leaves no file.
pub(crate) struct LogFile {
    folder: PathBuf,
    file: Mutex<Option<File>>,
    warnings: AtomicUsize,
    has_failed: AtomicBool,
}

/// A handle for the code that writes lines; clones share one log.
#[derive(Clone)]
pub(crate) struct LogWriter(pub(crate) Arc<LogFile>);

/// The state of the log at the end of the program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LogSummary {
    pub(crate) path: PathBuf,
    /// Warnings and errors of this process.
    pub(crate) warnings: usize,
    /// True if a line could not be written.
    pub(crate) has_failed: bool,
}

impl LogFile {
    pub(crate) fn new(folder: PathBuf) -> LogFile {
        LogFile {
            folder,
            file: Mutex::default(),
            warnings: AtomicUsize::new(0),
            has_failed: AtomicBool::new(false),
        }
    }

    pub(crate) fn summary(&self) -> LogSummary {
        LogSummary {
            path: self.path(),
            warnings: self.warnings.load(Ordering::Relaxed),
            has_failed: self.has_failed.load(Ordering::Relaxed),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.join(FILE_NAME)
    }

    fn write_line(&self, line: &[u8]) -> io::Result<()> {
        let mut open = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let file = match &mut *open {
            Some(file) => file,
            None => open.insert(self.open()?),
        };
        file.write_all(line)?;
        if file.metadata()?.len() >= LOG_FILE_BYTES_MAX {
            *open = None;
            self.rotate()?;
        }
        Ok(())
    }

    fn open(&self) -> io::Result<File> {
        fs::create_dir_all(&self.folder)?;
        open_private(&self.path())
    }

    /// Begins the next file, unless another process has done so meanwhile.
    fn rotate(&self) -> io::Result<()> {
        let lock = open_private(&self.folder.join(LOCK_NAME))?;
        lock.lock()?;
        if fs::metadata(self.path())?.len() < LOG_FILE_BYTES_MAX {
            return Ok(());
        }
        let numbered = |number: usize| self.folder.join(format!("{FILE_NAME}.{number}"));
        for number in (1..LOG_FILES_MAX - 1).rev() {
            if numbered(number).exists() {
                fs::rename(numbered(number), numbered(number + 1))?;
            }
        }
        fs::rename(self.path(), numbered(1))
    }
}

/// Opens a file to append to. Only its owner may read it: it holds the player's sentences.
fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    open_regular(path, &mut options)
}

impl Write for &LogFile {
    /// Takes all bytes of a line. A log that cannot be written must not disturb the story, so only the summary at the
    /// end of the program reports it.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let cut = line.len().min(LOG_LINE_BYTES_MAX);
        let end: &[u8] = if cut < line.len() { " [cut]\n".as_bytes() } else { b"" };
        if self.write_line(&[&line[..cut], end].concat()).is_err() {
            self.has_failed.store(true, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LogWriter {
    type Writer = &'a LogFile;

    fn make_writer(&'a self) -> &'a LogFile {
        &self.0
    }

    fn make_writer_for(&'a self, entry: &Metadata<'_>) -> &'a LogFile {
        if *entry.level() <= Level::WARN {
            self.0.warnings.fetch_add(1, Ordering::Relaxed);
        }
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write, path::Path, thread};

    use super::{FILE_NAME, LOG_FILE_BYTES_MAX, LOG_FILES_MAX, LOG_LINE_BYTES_MAX, LogFile};

    /// Each file with its bytes, in the order of their names.
    fn files(folder: &Path) -> Vec<(String, u64)> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| {
            let entry = entry.unwrap();
            (entry.file_name().into_string().unwrap(), entry.metadata().unwrap().len())
        });
        let mut files: Vec<_> = entries.filter(|(name, _)| !name.ends_with(".lock")).collect();
        files.sort();
        files
    }

    /// A line of the longest length, beginning with its number.
    fn line(number: usize) -> Vec<u8> {
        let mut line = format!("{number:08}").into_bytes();
        line.resize(LOG_LINE_BYTES_MAX - 1, b'.');
        line.push(b'\n');
        line
    }

    #[test]
    fn a_log_has_its_bytes_in_a_bounded_number_of_files() {
        let folder = tempfile::tempdir().unwrap();
        let log = LogFile::new(folder.path().join("logs"));
        assert!(!folder.path().join("logs").exists(), "nothing is written before the first line");
        let per_file = usize::try_from(LOG_FILE_BYTES_MAX).unwrap() / LOG_LINE_BYTES_MAX;
        let count = per_file * (LOG_FILES_MAX + 1) + 1;
        for number in 0..count {
            (&log).write_all(&line(number)).unwrap();
        }
        let found = files(&folder.path().join("logs"));
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, [FILE_NAME, "narratoria.log.1", "narratoria.log.2", "narratoria.log.3"]);
        let most = LOG_FILE_BYTES_MAX + LOG_LINE_BYTES_MAX as u64;
        assert!(found.iter().all(|(_, bytes)| *bytes <= most), "{found:?}");
        let newest = fs::read(folder.path().join("logs").join(FILE_NAME)).unwrap();
        assert!(newest.starts_with(format!("{:08}", count - 1).as_bytes()));
        assert!(!log.summary().has_failed);
    }

    /// Each line is whole, and none is lost where all fit.
    #[test]
    fn processes_that_share_a_log_lose_no_line() {
        let folder = tempfile::tempdir().unwrap();
        let per_file = usize::try_from(LOG_FILE_BYTES_MAX).unwrap() / LOG_LINE_BYTES_MAX;
        thread::scope(|scope| {
            for writer in 0..4 {
                let log = LogFile::new(folder.path().to_owned());
                scope.spawn(move || {
                    for number in 0..per_file / 2 {
                        (&log).write_all(&line(writer * 10_000 + number)).unwrap();
                    }
                });
            }
        });
        let mut lines = 0;
        for (name, _) in files(folder.path()) {
            let text = fs::read_to_string(folder.path().join(name)).unwrap();
            assert!(text.lines().all(|line| line.len() == LOG_LINE_BYTES_MAX - 1));
            lines += text.lines().count();
        }
        assert_eq!(lines, per_file / 2 * 4);
    }

    #[test]
    fn a_line_that_is_too_long_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        let log = LogFile::new(folder.path().to_owned());
        (&log).write_all(&vec![b'x'; LOG_LINE_BYTES_MAX * 3]).unwrap();
        let text = fs::read_to_string(folder.path().join(FILE_NAME)).unwrap();
        assert_eq!(text, format!("{} [cut]\n", "x".repeat(LOG_LINE_BYTES_MAX)));
    }

    #[test]
    fn a_log_that_cannot_be_written_costs_nothing_but_the_log() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let log = LogFile::new(file.join("logs"));
        (&log).write_all(b"a line\n").unwrap();
        assert!(log.summary().has_failed);
    }
}
