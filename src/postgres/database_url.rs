//! The address of a database: `postgres://USER:PASSWORD@HOST:PORT/DATABASE?OPTION=VALUE`, or a socket with
//! `postgres:///DATABASE?host=FOLDER`.
//!
//! A password goes over a network only with TLS, to a server whose certificate holds. A socket, and an address of this machine,
//! are reached without. `sslmode=disable` in the address says that another network is trusted too.

use std::{fmt, net::IpAddr, path::PathBuf, time::Duration};

use form_urlencoded::{Serializer, parse};
use tokio_postgres::config::{Config, Host, SslMode, TargetSessionAttrs};

use crate::DatabaseError;

/// Longest address of a database. Names, a password and some options have a few hundred bytes.
pub const DATABASE_URL_BYTES_MAX: usize = 4_096;

/// How long one address of a host may take to answer.
const CONNECT_TIME: Duration = Duration::from_secs(5);
/// How long bytes may lie unacknowledged before the connection counts as lost.
const UNACKNOWLEDGED_MAX: Duration = Duration::from_secs(10);
/// A silent connection is asked for a sign of life after this time.
const KEEPALIVE: Duration = Duration::from_secs(10);

/// An address that was read. `Debug` and [`DatabaseUrl::server`] show no password.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl {
    config: Config,
    /// The file with the certificates of the authorities that are trusted; without one those of the web are.
    authorities: Option<PathBuf>,
    server: String,
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatabaseUrl").field("server", &self.server).finish_non_exhaustive()
    }
}

fn bad(why: impl Into<String>) -> DatabaseError {
    DatabaseError::BadUrl { why: why.into() }
}

impl DatabaseUrl {
    /// Returns true if a text is meant as the address of such a database.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with("postgres:") || text.starts_with("postgresql:")
    }

    pub fn parse(text: &str) -> Result<DatabaseUrl, DatabaseError> {
        if !["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme)) {
            return Err(bad("does not begin with `postgres://`"));
        }
        if text.len() > DATABASE_URL_BYTES_MAX {
            return Err(bad(format!(
                "has {} bytes, and {DATABASE_URL_BYTES_MAX} are allowed",
                text.len()
            )));
        }
        let (front, query) = text.split_once('?').unwrap_or((text, ""));
        let (mut mode, mut authorities) = (None, None);
        let mut others = Serializer::new(String::new());
        for (name, value) in parse(query.as_bytes()) {
            match &*name {
                "sslmode" => mode = Some(value.into_owned()),
                "sslrootcert" => authorities = Some(PathBuf::from(&*value)),
                _ => drop(others.append_pair(&name, &value)),
            }
        }
        // The client's reader takes a plus sign for itself.
        let others = others.finish().replace('+', "%20");
        let rest = if others.is_empty() { front.to_owned() } else { format!("{front}?{others}") };
        // Its errors name options, and quote none of their values.
        let mut config: Config = rest.parse().map_err(|error| bad(option_error(&error)))?;
        if config.get_hosts().is_empty() {
            return Err(bad(
                "has no host: name one, or the folder of a socket with `?host=FOLDER`",
            ));
        }
        let hosts: Vec<String> = config.get_hosts().iter().map(host_name).collect();
        // A password with an `@` that is not written as `%40` ends in the host.
        if hosts.iter().any(|host| host.contains('@')) {
            return Err(bad("has an `@` too many: in a password it is written `%40`"));
        }
        let is_near = config.get_hosts().iter().all(is_on_this_machine);
        config.ssl_mode(ssl_mode(mode.as_deref(), is_near)?);
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIME);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(UNACKNOWLEDGED_MAX);
        }
        config.keepalives_idle(KEEPALIVE).keepalives_interval(KEEPALIVE).keepalives_retries(3);
        if hosts.len() > 1 {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        let server = shown(&hosts, config.get_ports(), config.get_dbname());
        Ok(DatabaseUrl { config, authorities, server })
    }

    /// Host, port and database, for messages.
    pub fn server(&self) -> &str {
        &self.server
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// The file with trusted authorities.
    pub(crate) fn authorities(&self) -> Option<&PathBuf> {
        self.authorities.as_ref()
    }
}

fn option_error(error: &tokio_postgres::Error) -> String {
    let why =
        std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    format!("cannot be read: {why}")
}

fn host_name(host: &Host) -> String {
    match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(folder) => folder.display().to_string(),
    }
}

fn is_on_this_machine(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse().is_ok_and(|address: IpAddr| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

fn ssl_mode(mode: Option<&str>, is_near: bool) -> Result<SslMode, DatabaseError> {
    match mode {
        Some("disable") => Ok(SslMode::Disable),
        None if is_near => Ok(SslMode::Disable),
        // The certificate is verified in each of these.
        None | Some("require" | "verify-ca" | "verify-full") => Ok(SslMode::Require),
        Some(_) => Err(bad(
            "has a `sslmode` other than `require`, `verify-full` and `disable`: it would give the password to whoever answers",
        )),
    }
}

fn shown(hosts: &[String], ports: &[u16], database: Option<&str>) -> String {
    let port = |idx: usize| match ports {
        [] => 5432,
        [one] => *one,
        several => several.get(idx).copied().unwrap_or(5432),
    };
    let hosts: Vec<String> =
        hosts.iter().enumerate().map(|(idx, host)| format!("{host}:{}", port(idx))).collect();
    let database = database.map(|name| format!("/{name}")).unwrap_or_default();
    format!("`{}{database}`", hosts.join(","))
}

#[cfg(test)]
mod tests {
    use super::{DATABASE_URL_BYTES_MAX, DatabaseUrl};
    use tokio_postgres::config::SslMode;

    #[track_caller]
    fn check(url: &str, expect: Result<(&str, SslMode), &str>) {
        let read = DatabaseUrl::parse(url).map_err(|error| error.to_string());
        let got = read.as_ref().map(|url| (url.server(), url.config().get_ssl_mode()));
        let expect = expect.map_err(|why| format!("the address of the database {why}"));
        assert_eq!(got.map_err(Clone::clone), expect, "{url}");
    }

    #[test]
    fn a_password_goes_over_a_network_with_tls_only() {
        let (with, without) = (SslMode::Require, SslMode::Disable);
        check("postgres://zoe:tide@db.example/tales", Ok(("`db.example:5432/tales`", with)));
        check(
            "postgresql://zoe@db.example:7/t?sslmode=verify-full",
            Ok(("`db.example:7/t`", with)),
        );
        check("postgres://zoe@10.0.0.7/t?sslmode=disable", Ok(("`10.0.0.7:5432/t`", without)));
        check("postgres://localhost/t", Ok(("`localhost:5432/t`", without)));
        check("postgres://localhost/t?sslmode=require", Ok(("`localhost:5432/t`", with)));
        check("postgres:///t?host=/run/postgresql", Ok(("`/run/postgresql:5432/t`", without)));
        check("postgres://zoe@%2Frun%2Fsockets/t", Ok(("`/run/sockets:5432/t`", without)));
        check("postgres://one:1,two:2/t", Ok(("`one:1,two:2/t`", with)));
        check(
            "postgres://db.example/t?sslmode=prefer",
            Err(
                "has a `sslmode` other than `require`, `verify-full` and `disable`: it would give the password to whoever answers",
            ),
        );
    }

    #[test]
    fn an_address_that_cannot_be_read_is_told_without_its_password() {
        check("mysql://db/t", Err("does not begin with `postgres://`"));
        check("postgres:db", Err("does not begin with `postgres://`"));
        check(
            "postgres:///t",
            Err("has no host: name one, or the folder of a socket with `?host=FOLDER`"),
        );
        check("postgres://db/t?color=red", Err("cannot be read: unknown option `color`"));
        check(
            "postgres://zoe:ti@de@db/t",
            Err("has an `@` too many: in a password it is written `%40`"),
        );
        check("postgres://zoe:tide@db:x/t", Err("cannot be read: invalid value for option `port`"));
        let long = format!("postgres://zoe:{}@db/t", "x".repeat(DATABASE_URL_BYTES_MAX));
        check(&long, Err("has 4116 bytes, and 4096 are allowed"));
        let url = DatabaseUrl::parse("postgres://zoe:tide@db.example/t").unwrap();
        assert!(!format!("{url:?}").contains("tide"));
    }
}
