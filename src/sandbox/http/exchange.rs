//! One request and its response: connects, sends, and holds both to their limits.

use std::{future::Future, pin::Pin};

use http_body_util::BodyExt;
use hyper::{Request, Response, Uri, client::conn::http1, http::uri::PathAndQuery};
use tokio::time::{Instant, timeout, timeout_at};
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, io::TokioIo};

use super::{
    connector::{ConnectError, HttpConnector},
    limits::{HTTP_CONNECT_TIME_MAX, HTTP_HEADER_BYTES_MAX, HTTP_HEADERS_MAX, HTTP_TIME_MAX},
    meter::{ByteBudget, MeteredBody},
    refusal::{HttpLog, HttpRefusal},
    target::RequestTarget,
};

/// A response, and the future that drives its connection until the body is read.
pub(super) type ResponseWithDriver =
    (Response<WasiBody>, Box<dyn Future<Output = Result<(), Error>> + Send>);

pub(super) struct HttpExchange {
    pub(super) connector: HttpConnector,
    pub(super) target: RequestTarget,
    pub(super) options: RequestOptions,
    pub(super) deadline: Instant,
    pub(super) log: HttpLog,
    pub(super) sent: ByteBudget,
    pub(super) received: ByteBudget,
}

impl HttpExchange {
    pub(super) async fn run(self, request: Request<WasiBody>) -> Result<ResponseWithDriver, Error> {
        let log = self.log.clone();
        let answered = self.exchange(request).await;
        if let Err(error) = &answered {
            log.record_failure(error);
        }
        answered
    }

    async fn exchange(self, request: Request<WasiBody>) -> Result<ResponseWithDriver, Error> {
        let connect_time = self
            .options
            .connect_timeout
            .map_or(HTTP_CONNECT_TIME_MAX, |wanted| wanted.min(HTTP_CONNECT_TIME_MAX));
        let connecting = timeout(connect_time, self.connector.connect(&self.target));
        let stream = match timeout_at(self.deadline, connecting).await {
            Ok(Ok(Ok(stream))) => stream,
            Ok(Ok(Err(ConnectError::Refused(refusal)))) => {
                self.log.record(&refusal);
                return Err(refusal.into());
            }
            Ok(Ok(Err(ConnectError::Failed(error)))) => return Err(error),
            Ok(Err(_)) | Err(_) => return Err(Error::ConnectionTimeout),
        };
        let (mut sender, connection) = http1::Builder::new()
            .max_buf_size(HTTP_HEADER_BYTES_MAX as usize)
            .max_headers(HTTP_HEADERS_MAX)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(Error::Hyper)?;
        let mut connection = Box::pin(connection);
        let mut is_closed = false;
        let sending = async {
            let mut sending = Box::pin(sender.send_request(self.metered(request)));
            tokio::select! {
                biased;
                response = &mut sending => response,
                // A server may close the connection right after its response.
                _ = &mut connection => {
                    is_closed = true;
                    sending.await
                }
            }
        };
        let first_byte = self.options.first_byte_timeout.unwrap_or(HTTP_TIME_MAX);
        let response = match timeout_at(self.deadline, timeout(first_byte, sending)).await {
            Ok(Ok(response)) => response.map_err(|error| self.classify_error(error))?,
            Ok(Err(_)) | Err(_) => return Err(Error::HttpResponseTimeout),
        };
        // hyper checks its limit only before it reads again.
        let fields = response.headers().iter();
        let head = fields.map(|(name, value)| name.as_str().len() + value.len()).sum::<usize>();
        if head > HTTP_HEADER_BYTES_MAX as usize {
            self.log.record(&HttpRefusal::HeadTooLong);
            return Err(HttpRefusal::HeadTooLong.into());
        }
        let (log, deadline) = (self.log.clone(), self.deadline);
        let response = response.map(|body| {
            let body = body.map_err(Error::Hyper);
            let too_much = HttpRefusal::ReceivedTooMuch;
            MeteredBody::new(body, self.received, too_much, log, deadline).boxed_unsync()
        });
        let driver: Pin<Box<dyn Future<Output = Result<(), Error>> + Send>> = match is_closed {
            true => Box::pin(async { Ok(()) }),
            false => Box::pin(async move {
                // Dropping the sender would close the connection before the body is read.
                let _sender = sender;
                connection.await.map_err(Error::Hyper)
            }),
        };
        Ok((response, Box::new(driver)))
    }

    /// Returns the request in the form that is sent: only the path, because there is no proxy, and a body within its
    /// budget.
    fn metered(&self, request: Request<WasiBody>) -> Request<MeteredBody<WasiBody>> {
        let (mut parts, body) = request.into_parts();
        let path = parts.uri.path_and_query().cloned();
        let path = path.unwrap_or_else(|| PathAndQuery::from_static("/"));
        let path = match path.as_str().is_empty() {
            true => PathAndQuery::from_static("/"),
            false => path,
        };
        parts.uri = Uri::from(path);
        let (sent, log) = (self.sent.clone(), self.log.clone());
        Request::from_parts(
            parts,
            MeteredBody::new(body, sent, HttpRefusal::SentTooMuch, log, self.deadline),
        )
    }

    fn classify_error(&self, error: hyper::Error) -> Error {
        if self.sent.is_exceeded() {
            return HttpRefusal::SentTooMuch.into();
        }
        if error.is_parse_too_large() {
            self.log.record(&HttpRefusal::HeadTooLong);
            return HttpRefusal::HeadTooLong.into();
        }
        if error.is_incomplete_message() {
            return Error::HttpResponseIncomplete;
        }
        Error::Hyper(error)
    }
}
