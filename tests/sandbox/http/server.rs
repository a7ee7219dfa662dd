//! An HTTP/1.1 server on this machine with canned responses, one request for each connection.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpListener,
    task::JoinHandle,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        self, ServerConfig,
        pki_types::{CertificateDer, PrivateKeyDer},
    },
};

pub(super) struct ReceivedHttpRequest {
    pub(super) method: String,
    pub(super) path: String,
    head: String,
    pub(super) body: Vec<u8>,
}

impl ReceivedHttpRequest {
    pub(super) fn header(&self, name: &str) -> &str {
        let line = |line: &&str| line.to_lowercase().starts_with(&format!("{name}:"));
        let line = self.head.lines().find(line).unwrap_or_default();
        line.split_once(':').map_or("", |(_, value)| value.trim())
    }
}

pub(super) enum CannedResponse {
    Bytes(Vec<u8>),
    /// A body without end.
    Endless,
    /// No response; the connection stays open.
    Silence,
}

pub(super) fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> CannedResponse {
    let mut text = format!("HTTP/1.1 {status} Whatever\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    CannedResponse::Bytes(format!("{text}\r\n{body}").into_bytes())
}

/// A certificate for 127.0.0.1, made for these tests alone, and its authority.
#[derive(Clone)]
pub(super) struct TestTls {
    pub(super) authority: Vec<u8>,
    acceptor: TlsAcceptor,
}

impl TestTls {
    pub(super) fn load() -> TestTls {
        let certificate = CertificateDer::from(include_bytes!("../tls/server.der").to_vec());
        let key =
            PrivateKeyDer::try_from(include_bytes!("../tls/server-key.der").to_vec()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .unwrap();
        let authority = include_bytes!("../tls/authority.der").to_vec();
        TestTls { authority, acceptor: TlsAcceptor::from(Arc::new(config)) }
    }
}

pub(super) struct TestHttpServer {
    address: SocketAddr,
    requests: Arc<AtomicUsize>,
    accepting: JoinHandle<()>,
}

impl Drop for TestHttpServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl TestHttpServer {
    pub(super) async fn start(
        answer: impl Fn(ReceivedHttpRequest) -> CannedResponse + Send + Sync + 'static,
    ) -> TestHttpServer {
        TestHttpServer::start_with(None, answer).await
    }

    pub(super) async fn start_with(
        tls: Option<TestTls>,
        answer: impl Fn(ReceivedHttpRequest) -> CannedResponse + Send + Sync + 'static,
    ) -> TestHttpServer {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(AtomicUsize::new(0));
        let (count, answer) = (Arc::clone(&requests), Arc::new(answer));
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (count, answer, tls) = (Arc::clone(&count), Arc::clone(&answer), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => serve(stream, &count, &*answer).await,
                        Some(tls) => match tls.acceptor.accept(stream).await {
                            Ok(stream) => serve(stream, &count, &*answer).await,
                            Err(_) => None,
                        },
                    }
                });
            }
        });
        TestHttpServer { address, requests, accepting }
    }

    /// The host as a manifest names it.
    pub(super) fn host(&self) -> String {
        self.address.to_string()
    }

    pub(super) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(super) fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }
}

/// `None` when the client has closed the connection.
async fn serve(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    count: &AtomicUsize,
    answer: &(dyn Fn(ReceivedHttpRequest) -> CannedResponse + Send + Sync),
) -> Option<()> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    count.fetch_add(1, Ordering::Relaxed);
    let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
    let mut words = head.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut request =
        ReceivedHttpRequest { method, path, head: head.clone(), body: bytes.split_off(head_end) };
    let is_chunked = request.header("transfer-encoding") == "chunked";
    let length = request.header("content-length").parse().unwrap_or(0);
    while request.body.len() < length || is_chunked && !request.body.ends_with(b"0\r\n\r\n") {
        if stream.read_buf(&mut request.body).await.ok()? == 0 {
            return None;
        }
    }
    if is_chunked {
        request.body = without_chunks(&request.body)?;
    }
    match answer(request) {
        CannedResponse::Bytes(bytes) => stream.write_all(&bytes).await.ok()?,
        CannedResponse::Endless => {
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.ok()?;
            loop {
                stream.write_all(&[b'x'; 16 << 10]).await.ok()?;
            }
        }
        CannedResponse::Silence => _ = stream.read(&mut [0]).await,
    }
    stream.shutdown().await.ok()
}

fn without_chunks(mut bytes: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::new();
    loop {
        let end = bytes.windows(2).position(|two| two == b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(&bytes[..end]).ok()?, 16).ok()?;
        if size == 0 {
            return Some(whole);
        }
        whole.extend_from_slice(bytes.get(end + 2..end + 2 + size)?);
        bytes = bytes.get(end + 4 + size..)?;
    }
}
