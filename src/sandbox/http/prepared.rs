//! Answers that are there before a script asks: those of the examples of a package. Only an address that the script may reach
//! has one.

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Response, Uri};
use wasmtime_wasi_http::Error;

use super::exchange::ResponseWithDriver;

/// An answer of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedAnswer {
    pub status: u16,
    pub body: Vec<u8>,
}

/// Answers by address. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct PreparedAnswers(Arc<BTreeMap<String, PreparedAnswer>>);

impl PreparedAnswers {
    pub fn new(answers: BTreeMap<String, PreparedAnswer>) -> PreparedAnswers {
        PreparedAnswers(Arc::new(answers))
    }

    /// The answer of an address. `https://a.example` and `https://a.example/` are one.
    pub(super) fn find(&self, uri: &Uri) -> Option<Result<ResponseWithDriver, Error>> {
        let asked = uri.to_string();
        let PreparedAnswer { status, body } =
            self.0.get(&asked).or_else(|| self.0.get(asked.trim_end_matches('/')))?;
        let body = Full::new(Bytes::from(body.clone())).map_err(|never| match never {});
        let response = Response::builder().status(*status).body(body.boxed_unsync());
        let driver = Box::new(std::future::ready(Ok(())));
        let response = response.map_err(|_| Error::HttpProtocolError);
        Some(response.map(|response| (response, driver as Box<_>)))
    }
}
