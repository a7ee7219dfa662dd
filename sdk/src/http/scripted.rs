//! Hosts with a test's answers, within the limits for one invocation.

use super::{
    limits::{HTTP_RECEIVED_BYTES_MAX, HTTP_REQUESTS_MAX, HTTP_SENT_BYTES_MAX},
    message::{HttpRequest, HttpResponse},
    url::Url,
};
use crate::SkillError;

/// Answers by address, and the requests received.
#[derive(Debug, Default)]
pub(crate) struct ScriptedHttp {
    answers: Vec<(String, HttpResponse)>,
    requests: Vec<HttpRequest>,
    sent: u64,
    received: u64,
}

impl ScriptedHttp {
    pub(super) fn new(answers: Vec<(String, HttpResponse)>) -> ScriptedHttp {
        ScriptedHttp { answers, ..ScriptedHttp::default() }
    }

    pub(super) fn requests(&self) -> Vec<HttpRequest> {
        self.requests.clone()
    }

    pub(super) fn exchange(
        &mut self,
        request: &HttpRequest,
        url: &Url,
    ) -> Result<HttpResponse, SkillError> {
        let refused = |message: String| Err(SkillError::new(SkillError::HTTP_REFUSED, message));
        if self.requests.len() == HTTP_REQUESTS_MAX as usize {
            return refused(format!("one invocation makes at most {HTTP_REQUESTS_MAX} requests"));
        }
        self.requests.push(request.clone());
        let Some(at) = self.answers.iter().position(|(known, _)| *known == url.to_string()) else {
            return refused(format!("nothing answers at `{url}`: the test has not said what"));
        };
        self.sent += request.body.len() as u64;
        if self.sent > HTTP_SENT_BYTES_MAX {
            return refused(format!("one invocation sends at most {HTTP_SENT_BYTES_MAX} bytes"));
        }
        let (_, answer) = self.answers.remove(at);
        self.received += answer.body.len() as u64;
        if self.received > HTTP_RECEIVED_BYTES_MAX {
            return refused(format!("one invocation gets at most {HTTP_RECEIVED_BYTES_MAX} bytes"));
        }
        Ok(answer)
    }
}
