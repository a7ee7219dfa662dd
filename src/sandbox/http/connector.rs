//! Connects to a host: resolves its name, checks every address, and connects to an address that was checked.
//! Resolving only once means that a second answer of the resolver cannot differ from the checked one.

use std::{
    future::Future,
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    pin::Pin,
    sync::{Arc, OnceLock},
};

use narratoria_skills::{HostName, HttpHost};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::{
    TlsConnector,
    rustls::{
        self, ClientConfig, RootCertStore,
        pki_types::{CertificateDer, ServerName},
    },
};
use wasmtime_wasi_http::Error;

use super::{
    address::is_public, limits::ADDRESSES_MAX, refusal::HttpRefusal, target::RequestTarget,
};

pub type ResolveFuture = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Turns names into addresses.
pub trait HostResolver: Send + Sync {
    /// Returns the addresses of a name, best first.
    fn resolve(&self, name: &str) -> ResolveFuture;
}

/// The operating system's resolver.
struct SystemHostResolver;

impl HostResolver for SystemHostResolver {
    fn resolve(&self, name: &str) -> ResolveFuture {
        let name = name.to_owned();
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// How scripts with the `http` grant reach their hosts.
#[derive(Clone)]
pub struct HttpConnector(Arc<HttpConnectorInner>);

struct HttpConnectorInner {
    /// `None` without a network.
    resolver: Option<Box<dyn HostResolver>>,
    /// True if the player plays offline: only this machine is reached.
    is_loopback_only: bool,
    roots: Vec<Vec<u8>>,
    /// Created at the first encrypted request.
    tls: OnceLock<Arc<ClientConfig>>,
}

impl Default for HttpConnector {
    /// Uses the operating system's resolver and Mozilla's root certificates.
    fn default() -> HttpConnector {
        HttpConnector::new(Box::new(SystemHostResolver), Vec::new())
    }
}

impl std::fmt::Debug for HttpConnector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpConnector").field("roots", &self.0.roots.len()).finish_non_exhaustive()
    }
}

/// A connection, encrypted or not.
pub(super) trait HttpStream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> HttpStream for S {}

/// Why a connection fails.
#[derive(Debug)]
pub(super) enum ConnectError {
    Refused(HttpRefusal),
    Failed(Error),
}

impl From<Error> for ConnectError {
    fn from(error: Error) -> ConnectError {
        ConnectError::Failed(error)
    }
}

impl HttpConnector {
    /// `roots` are DER certificates of authorities to trust beside Mozilla's. Invalid certificates are
    /// ignored.
    pub fn new(resolver: Box<dyn HostResolver>, roots: Vec<Vec<u8>>) -> HttpConnector {
        HttpConnector::from_resolver(Some(resolver), roots)
    }

    /// Returns a connector that reaches no host, not even this machine.
    pub fn offline() -> HttpConnector {
        HttpConnector::from_resolver(None, Vec::new())
    }

    /// Returns a connector that reaches this machine alone, for play without a network.
    pub fn loopback_only() -> HttpConnector {
        HttpConnector(Arc::new(HttpConnectorInner {
            resolver: Some(Box::new(SystemHostResolver)),
            is_loopback_only: true,
            roots: Vec::new(),
            tls: OnceLock::new(),
        }))
    }

    fn from_resolver(
        resolver: Option<Box<dyn HostResolver>>,
        roots: Vec<Vec<u8>>,
    ) -> HttpConnector {
        let tls = OnceLock::new();
        HttpConnector(Arc::new(HttpConnectorInner {
            resolver,
            is_loopback_only: false,
            roots,
            tls,
        }))
    }

    /// Connects to the target, with TLS if its scheme asks for it.
    pub(super) async fn connect(
        &self,
        target: &RequestTarget,
    ) -> Result<Box<dyn HttpStream>, ConnectError> {
        let addresses = self.addresses(target).await?;
        let stream = connect_to_first(&addresses, target.port).await?;
        // Small requests should be sent at once.
        let _ = stream.set_nodelay(true);
        if !target.is_encrypted {
            return Ok(Box::new(stream));
        }
        let name = match &target.name {
            HostName::Address(address) => ServerName::IpAddress((*address).into()),
            HostName::Domain(name) => {
                ServerName::try_from(name.clone()).map_err(|_| Error::TlsProtocolError)?
            }
        };
        let connector = TlsConnector::from(self.tls()?);
        let stream = connector.connect(name, stream).await.map_err(|error| tls_error(&error))?;
        Ok(Box::new(stream))
    }

    /// Returns the target's addresses after checking all of them.
    async fn addresses(&self, target: &RequestTarget) -> Result<Vec<IpAddr>, ConnectError> {
        let resolver = self.0.resolver.as_ref().ok_or(Error::ConnectionRefused)?;
        if self.0.is_loopback_only && !target.name.is_this_machine() {
            return Err(ConnectError::Refused(HttpRefusal::Offline { host: target.host() }));
        }
        let name = match &target.name {
            // Both the manifest and the request name this very address.
            HostName::Address(address) => return Ok(vec![*address]),
            // RFC 6761: `localhost` is not resolved.
            HostName::Domain(_) if target.name.is_localhost() => {
                return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
            }
            HostName::Domain(name) => name,
        };
        let mut addresses = resolver.resolve(name).await.map_err(|error| {
            tracing::debug!("`{name}` cannot be resolved: {error}");
            Error::DnsError { rcode: None, info_code: None }
        })?;
        addresses.truncate(ADDRESSES_MAX);
        // One private address among public ones is more likely an attack than an accident.
        if let Some(address) = addresses.iter().find(|address| !is_public(**address)) {
            let named = HttpHost {
                name: HostName::Address(address.to_canonical()),
                port: target.explicit_port(),
            };
            let (host, address) = (target.host(), *address);
            return Err(ConnectError::Refused(HttpRefusal::NotPublic { host, address, named }));
        }
        match addresses.is_empty() {
            true => Err(Error::DestinationNotFound.into()),
            false => Ok(addresses),
        }
    }

    fn tls(&self) -> Result<Arc<ClientConfig>, Error> {
        if let Some(config) = self.0.tls.get() {
            return Ok(Arc::clone(config));
        }
        let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        roots.add_parsable_certificates(self.0.roots.iter().cloned().map(CertificateDer::from));
        // The provider is named explicitly, because the process may have another default, or none.
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| Error::InternalError(Some(error.to_string())))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Arc::clone(self.0.tls.get_or_init(|| Arc::new(config))))
    }
}

/// Connects to the first address that accepts.
async fn connect_to_first(addresses: &[IpAddr], port: u16) -> Result<TcpStream, Error> {
    let mut failed = Error::DestinationNotFound;
    for address in addresses {
        match TcpStream::connect(SocketAddr::new(*address, port)).await {
            Ok(stream) => return Ok(stream),
            Err(error) => {
                failed = match error.kind() {
                    io::ErrorKind::ConnectionRefused => Error::ConnectionRefused,
                    io::ErrorKind::TimedOut => Error::ConnectionTimeout,
                    io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => {
                        Error::DestinationIpUnroutable
                    }
                    _ => Error::DestinationUnavailable,
                };
            }
        }
    }
    Err(failed)
}

fn tls_error(error: &io::Error) -> Error {
    let cause = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match cause {
        Some(rustls::Error::InvalidCertificate(_)) => Error::TlsCertificateError,
        _ => Error::TlsProtocolError,
    }
}
