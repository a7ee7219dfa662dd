//! The requests of programs, as their endpoint gets them.

use axum::http::{Request, Uri};

use crate::{
    asked::{Asked, RouteResult},
    program_access,
};

/// Hands a request to the endpoint.
pub(crate) async fn answer(asked: Asked) -> RouteResult {
    let Asked { server, method, headers, body, .. } = asked;
    let Some(programs) = &server.programs else { return Err(program_access::off()) };
    let mut request = Request::new(body);
    *request.method_mut() = method;
    *request.uri_mut() = Uri::from_static(program_access::PROGRAMS_PATH);
    *request.headers_mut() = headers;
    Ok(programs.endpoint.answer(request).await)
}
