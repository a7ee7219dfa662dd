//! Starts, stops and starts again one server, and makes databases in it.

#![expect(clippy::unwrap_used, reason = "test support: a panic fails the test")]

use std::{
    env, fs,
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, Receiver},
    },
    thread,
    time::Duration,
};

use tempfile::TempDir;

use crate::program::{Programs, run};

/// Starts and stops the server as its lines say, and ends it with the process at the other end of the pipe.
const GUARD: &str = r#"
folder=$1; shift
while read -r order; do
  case $order in
    start) "$@" & server=$! ;;
    stop) kill -QUIT "$server"; wait "$server"; server=; echo "guard: stopped" >&2 ;;
  esac
done
[ -z "$server" ] || { kill -QUIT "$server"; wait "$server"; }
rm -rf "$folder"
"#;

/// What a server says when it answers.
const READY: &str = "database system is ready to accept connections";
/// A start takes a tenth of a second, on a busy machine some seconds.
const START_MAX: Duration = Duration::from_secs(60);
const PASSWORD: &str = "tide";

/// A server with a folder of its own. Ends when it is dropped, and with the process.
pub struct PostgresServer {
    programs: Programs,
    /// The guard removes it.
    folder: PathBuf,
    port: u16,
    /// Databases that were made.
    databases: AtomicUsize,
    guard: Mutex<Guard>,
}

struct Guard {
    process: Child,
    orders: Option<ChildStdin>,
    lines: Receiver<String>,
    /// The last lines of the server, for messages.
    log: Vec<String>,
}

/// How a server is started.
#[derive(Default)]
struct ServerOptions<'o> {
    /// Settings such as `max_connections=10`.
    settings: &'o [&'o str],
    /// On an address of this machine too, with a certificate.
    tls: bool,
    /// A command that runs the server, and an address that it listens on there, without a certificate.
    within: Option<(&'o [&'o str], &'o str)>,
    environment: &'o [(&'o str, &'o str)],
}

#[expect(clippy::print_stderr, reason = "a test that is left out says so")]
fn find_programs() -> Option<Programs> {
    let found = Programs::find();
    if found.is_none() {
        let required = env::var_os("NARRATORIA_POSTGRES").is_some_and(|value| value == "required");
        assert!(!required, "there is no PostgreSQL; scripts/postgres.sh installs it");
        eprintln!("left out: there is no PostgreSQL; scripts/postgres.sh installs it");
    }
    found
}

impl PostgresServer {
    /// The server of this process, for tests that only need databases; `None` if there is none on this machine.
    pub fn shared() -> Option<&'static PostgresServer> {
        static SHARED: OnceLock<Option<PostgresServer>> = OnceLock::new();
        SHARED.get_or_init(PostgresServer::start).as_ref()
    }

    /// A server of its own, for a test that stops it.
    pub fn start() -> Option<PostgresServer> {
        PostgresServer::start_as(ServerOptions::default())
    }

    /// A server of its own with settings such as `max_connections=10`, and with variables in its environment.
    pub fn start_with(settings: &[&str], environment: &[(&str, &str)]) -> Option<PostgresServer> {
        PostgresServer::start_as(ServerOptions { settings, environment, ..Default::default() })
    }

    /// A server that also listens on an address of this machine, with a certificate for `localhost`. `None` without `openssl`, and
    /// for a PostgreSQL that was built without TLS, as well.
    #[expect(clippy::print_stderr, reason = "a test that is left out says so")]
    pub fn start_with_tls() -> Option<PostgresServer> {
        if Command::new("openssl").arg("version").output().is_err() {
            eprintln!("left out: there is no `openssl`, which makes the certificate of a server");
            return None;
        }
        if !knows_tls(&find_programs()?) {
            eprintln!("left out: this PostgreSQL was built without TLS");
            return None;
        }
        PostgresServer::start_as(ServerOptions { tls: true, ..ServerOptions::default() })
    }

    /// A server that a command such as `nsenter` runs elsewhere. It listens on an address there too, without a certificate, and asks
    /// for the password.
    pub fn start_within(command: &[&str], address: &str) -> Option<PostgresServer> {
        let within = Some((command, address));
        PostgresServer::start_as(ServerOptions { within, ..ServerOptions::default() })
    }

    fn start_as(options: ServerOptions<'_>) -> Option<PostgresServer> {
        let programs = find_programs()?;
        let folder = TempDir::with_prefix("pg").unwrap().keep();
        copy_cluster(&programs, &folder.join("data"));
        let mut port = 5432;
        let mut settings = vec![
            // A crash of the server loses nothing of this; only one of the machine would.
            "fsync=off".to_owned(),
            "shared_buffers=16MB".to_owned(),
            format!("unix_socket_directories={}", folder.display()),
        ];
        if options.tls {
            port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
            make_certificate(&folder.join("data"));
            let tls = [
                "ssl=on",
                "listen_addresses=127.0.0.1",
                "ssl_cert_file=cert.pem",
                "ssl_key_file=key.pem",
            ];
            settings.extend(tls.map(str::to_owned));
        } else if let Some((_, address)) = options.within {
            settings.push(format!("listen_addresses={address}"));
            let rules = folder.join("data/pg_hba.conf");
            let known = fs::read_to_string(&rules).unwrap();
            fs::write(&rules, format!("{known}host all all samenet scram-sha-256\n")).unwrap();
        } else {
            settings.push("listen_addresses=".to_owned());
        }
        settings.push(format!("port={port}"));
        settings.extend(options.settings.iter().map(|setting| (*setting).to_owned()));
        programs.give(&folder);
        let command = options.within.map(|(command, _)| command).unwrap_or_default();
        let mut line: Vec<String> = command.iter().map(|part| (*part).to_owned()).collect();
        line.extend(programs.line("postgres"));
        line.extend(["-D".to_owned(), folder.join("data").display().to_string()]);
        line.extend(settings.into_iter().flat_map(|setting| ["-c".to_owned(), setting]));
        let guard = Mutex::new(Guard::start(&folder, &line, options.environment));
        let databases = AtomicUsize::new(0);
        let server = PostgresServer { programs, folder, port, databases, guard };
        server.start_again();
        Some(server)
    }

    /// Makes an empty database and returns its address.
    pub fn database(&self) -> String {
        let name = format!("test{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.sql("postgres", &format!("CREATE DATABASE {name}"));
        self.url(&name)
    }

    /// The address of a database, over the socket.
    pub fn url(&self, database: &str) -> String {
        let socket = self.folder.display().to_string().replace('/', "%2F");
        format!("postgres://postgres@{socket}:{}/{database}", self.port)
    }

    /// Runs statements by the server's own client, and returns the rows as text.
    #[track_caller]
    pub fn sql(&self, database: &str, statements: &str) -> String {
        let ran = run(self
            .programs
            .command("psql")
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", "postgres"])
            .args(["-h", &self.folder.display().to_string(), "-p", &self.port.to_string()])
            .args(["-d", database, "-c", statements]));
        String::from_utf8_lossy(&ran.stdout).trim_end().to_owned()
    }

    /// Ends the server as a crash would: connections break off, and nothing is written any more.
    pub fn stop_at_once(&self) {
        self.guard().order("stop", "guard: stopped");
    }

    /// Starts it, and waits until it answers.
    pub fn start_again(&self) {
        self.guard().order("start", READY);
    }

    /// The port of the address of this machine, and of the socket's name.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The password of `postgres` on the address of this machine.
    pub fn password(&self) -> &str {
        PASSWORD
    }

    /// The certificate of a server that was started with one.
    pub fn certificate(&self) -> PathBuf {
        self.folder.join("data/cert.pem")
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn guard(&self) -> MutexGuard<'_, Guard> {
        self.guard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        let mut guard = self.guard();
        guard.orders = None;
        let _ = guard.process.wait();
    }
}

impl Guard {
    fn start(folder: &Path, line: &[String], environment: &[(&str, &str)]) -> Guard {
        let mut command = Command::new("sh");
        // What ends all processes of a test, such as Ctrl-C, must leave the guard to clear up.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut process = command
            .args(["-c", GUARD, "guard"])
            .arg(folder)
            .args(line)
            .env("LC_ALL", "C")
            .env("TZ", "UTC")
            .envs(environment.iter().copied())
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = mpsc::channel();
        let stderr = process.stderr.take().expect("it is piped");
        // Reads on even if nobody listens, because a full pipe would stop the server.
        thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let orders = process.stdin.take();
        Guard { process, orders, lines, log: Vec::new() }
    }

    /// Gives an order and waits for the line that says that it is done.
    #[track_caller]
    fn order(&mut self, order: &str, done: &str) {
        let orders = self.orders.as_mut().expect("it is taken on drop alone");
        writeln!(orders, "{order}").unwrap();
        loop {
            let Ok(line) = self.lines.recv_timeout(START_MAX) else {
                panic!("the server does not {order}:\n{}", self.log.join("\n"));
            };
            let is_done = line.contains(done);
            self.log.push(line);
            self.log.drain(..self.log.len().saturating_sub(40));
            if is_done {
                return;
            }
        }
    }
}

fn knows_tls(programs: &Programs) -> bool {
    let folder = TempDir::with_prefix("pg").unwrap();
    copy_cluster(programs, &folder.path().join("data"));
    programs.give(folder.path());
    let mut command = programs.command("postgres");
    let said = run(command.args(["-C", "ssl_library", "-D"]).arg(folder.path().join("data")));
    !said.stdout.trim_ascii().is_empty()
}

/// Copies the files of an empty server, which are made once for each folder of builds.
fn copy_cluster(programs: &Programs, to: &Path) {
    let program = env::current_exe().unwrap();
    let builds = program.ancestors().find(|folder| folder.ends_with("deps")).and_then(Path::parent);
    let Some(builds) = builds else { return make_cluster(programs, to) };
    let kept = builds.join(format!("postgres-{}", programs.version()));
    if !kept.is_dir() {
        let made = TempDir::with_prefix("pg").unwrap();
        make_cluster(programs, &made.path().join("data"));
        let near = TempDir::with_prefix_in("postgres", builds).unwrap();
        copy(&made.path().join("data"), &near.path().join("data"));
        // Another test may have been first.
        let _ = fs::rename(near.path().join("data"), &kept);
    }
    copy(&kept, to);
}

fn copy(from: &Path, to: &Path) {
    run(Command::new("cp").arg("-R").arg(from).arg(to));
    run(Command::new("chmod").arg("700").arg(to));
}

fn make_cluster(programs: &Programs, to: &Path) {
    let folder = to.parent().expect("it is in a folder");
    fs::write(folder.join("password"), PASSWORD).unwrap();
    programs.give(folder);
    run(programs
        .command("initdb")
        .args(["--username=postgres", "--auth-local=trust", "--auth-host=scram-sha-256"])
        .args(["--encoding=UTF8", "--locale=C", "--no-sync", "--wal-segsize=1"])
        .arg(format!("--pwfile={}", folder.join("password").display()))
        .arg("-D")
        .arg(to));
}

/// A certificate that is its own authority.
fn make_certificate(data: &Path) {
    run(Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"])
        .args(["-nodes", "-days", "2", "-subj", "/CN=localhost"])
        .args([
            "-addext",
            "subjectAltName=DNS:localhost",
            "-addext",
            "basicConstraints=critical,CA:FALSE",
        ])
        .arg("-keyout")
        .arg(data.join("key.pem"))
        .arg("-out")
        .arg(data.join("cert.pem")));
    run(Command::new("chmod").arg("600").arg(data.join("key.pem")));
}
