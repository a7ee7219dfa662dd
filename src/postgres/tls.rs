//! TLS for connections, with the rustls that the program has. The certificate of the server is always verified.

use std::{
    io,
    path::PathBuf,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::{
    Connect, TlsConnector, client,
    rustls::{
        ClientConfig, RootCertStore,
        crypto::ring,
        pki_types::{CertificateDer, InvalidDnsNameError, ServerName, pem::PemObject},
    },
};

use crate::DatabaseError;

/// Makes a TLS session for each connection that wants one.
#[derive(Clone)]
pub(crate) struct Tls(TlsConnector);

impl Tls {
    /// Trusts the authorities in this file, or those of the web.
    pub(crate) fn build(authorities: Option<&PathBuf>) -> Result<Tls, DatabaseError> {
        let bad = |why: String| DatabaseError::BadUrl { why };
        let mut roots = RootCertStore::empty();
        match authorities {
            None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
            Some(file) => {
                let what = format!("has the `sslrootcert` `{}`, which", file.display());
                let certificates = CertificateDer::pem_file_iter(file)
                    .and_then(Iterator::collect::<Result<Vec<_>, _>>)
                    .map_err(|error| bad(format!("{what} cannot be read: {error}")))?;
                let (added, _) = roots.add_parsable_certificates(certificates);
                if added == 0 {
                    return Err(bad(format!("{what} has no certificate of an authority")));
                }
            }
        }
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| bad(format!("needs TLS, which this program cannot do: {error}")))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Tls(TlsConnector::from(Arc::new(config))))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Tls {
    type Stream = TlsSession<S>;
    type TlsConnect = TlsHandshake;
    type Error = InvalidDnsNameError;

    fn make_tls_connect(&mut self, host: &str) -> Result<TlsHandshake, InvalidDnsNameError> {
        // A socket has no name, and no TLS: this one would hold for no certificate.
        let host = if host.is_empty() { "socket.invalid" } else { host };
        let server = ServerName::try_from(host)?.to_owned();
        Ok(TlsHandshake { connector: self.0.clone(), server })
    }
}

pub(crate) struct TlsHandshake {
    connector: TlsConnector,
    server: ServerName<'static>,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for TlsHandshake {
    type Stream = TlsSession<S>;
    type Error = io::Error;
    type Future = TlsConnecting<S>;

    fn connect(self, stream: S) -> TlsConnecting<S> {
        TlsConnecting(self.connector.connect(self.server, stream))
    }
}

pub(crate) struct TlsConnecting<S>(Connect<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> Future for TlsConnecting<S> {
    type Output = io::Result<TlsSession<S>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(cx).map_ok(TlsSession)
    }
}

pub(crate) struct TlsSession<S>(client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for TlsSession<S> {
    // The certificate is verified, so the password is bound to the server already.
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for TlsSession<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for TlsSession<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
