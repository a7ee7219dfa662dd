//! The programs of PostgreSQL on this machine, and the user that they run as.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// Names the folder of the programs to take.
const FOLDER: &str = "NARRATORIA_POSTGRES_BIN";

/// Where the programs are, and who may run them.
pub(crate) struct Programs {
    folder: PathBuf,
    /// The user in place of root.
    user: Option<&'static str>,
}

impl Programs {
    /// Finds the programs in the folder that `NARRATORIA_POSTGRES_BIN` names, else the newest version of the system's packages, else
    /// what is on the path.
    pub(crate) fn find() -> Option<Programs> {
        let has_all = |folder: &PathBuf| {
            ["postgres", "initdb", "psql"].iter().all(|it| folder.join(it).is_file())
        };
        let user = || is_root().then(|| if has_user("postgres") { "postgres" } else { "nobody" });
        if let Some(folder) = env::var_os(FOLDER).filter(|folder| !folder.is_empty()) {
            let folder = PathBuf::from(folder);
            // Another version in its place would be tested twice.
            assert!(has_all(&folder), "there is no PostgreSQL in {FOLDER}={}", folder.display());
            return Some(Programs { folder, user: user() });
        }
        let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
        let mut folders: Vec<PathBuf> =
            versions.map(|version| version.path().join("bin")).collect();
        folders.sort_by_key(|folder| {
            let version = folder.parent().and_then(Path::file_name);
            version.and_then(|name| name.to_string_lossy().parse::<u32>().ok())
        });
        folders.reverse();
        let path = env::var_os("PATH").unwrap_or_default();
        folders.extend(env::split_paths(&path));
        let folder = folders.into_iter().find(has_all)?;
        Some(Programs { folder, user: user() })
    }

    /// The command line of a program as the user that may run it.
    pub(crate) fn line(&self, program: &str) -> Vec<String> {
        let mut line: Vec<String> = Vec::new();
        if let Some(user) = self.user {
            let group = format!("--regid={}", group_of(user));
            line.extend([
                "setpriv".into(),
                format!("--reuid={user}"),
                group,
                "--clear-groups".into(),
            ]);
        }
        line.push(self.folder.join(program).display().to_string());
        line
    }

    pub(crate) fn command(&self, program: &str) -> Command {
        let line = self.line(program);
        let mut command = Command::new(&line[0]);
        command.args(&line[1..]).env("LC_ALL", "C").env("TZ", "UTC").current_dir("/");
        command
    }

    /// Gives a folder and everything in it to the user.
    pub(crate) fn give(&self, folder: &Path) {
        if let Some(user) = self.user {
            let owner = format!("{user}:{}", group_of(user));
            run(Command::new("chown").arg("-R").arg(owner).arg(folder));
        }
    }

    /// The name of the version, for files that only it can read.
    pub(crate) fn version(&self) -> String {
        let said = run(Command::new(self.folder.join("postgres")).arg("--version"));
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        said.split_whitespace().nth(2).unwrap_or("unknown").to_owned()
    }
}

/// Runs a command that must succeed.
#[track_caller]
pub(crate) fn run(command: &mut Command) -> Output {
    let ran = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(ran.status.success(), "{command:?}: {}", String::from_utf8_lossy(&ran.stderr));
    ran
}

fn is_root() -> bool {
    let said = run(Command::new("id").arg("-u"));
    said.stdout.trim_ascii() == b"0"
}

fn has_user(name: &str) -> bool {
    Command::new("id").arg(name).output().is_ok_and(|said| said.status.success())
}

fn group_of(user: &str) -> String {
    let said = run(Command::new("id").arg("-gn").arg(user));
    String::from_utf8_lossy(said.stdout.trim_ascii()).into_owned()
}
