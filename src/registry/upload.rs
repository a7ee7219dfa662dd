//! Uploads of files in a registry. A small file is one request; a larger one goes in chunks, and goes on from what the registry has when
//! a connection breaks. Registries differ in what they keep of a broken request: Docker's (2.8) throws the whole upload away, so it
//! begins again there.

use std::{thread, time::Instant};

use ureq::http::{Method, StatusCode, header};

use super::{
    address::PackageUrl,
    client::{WebRequest, WebResponse},
    fetch_error::FetchError,
    layout::StoredFile,
    limits::{TRANSFER_TIME_MAX, UPLOAD_BREAKS_MAX, UPLOAD_CHUNK_BYTES, UPLOAD_PAUSE},
    registry::{Registry, RegistryError, success},
};

const OCTETS: &str = "application/octet-stream";

/// The smallest chunk that a registry takes, if it says so.
const CHUNK_MIN: &str = "oci-chunk-min-length";

impl Registry<'_> {
    /// Uploads a file, unless the registry has it.
    pub(crate) fn upload(&self, bytes: &[u8], file: &StoredFile) -> Result<(), RegistryError> {
        let deadline = Instant::now() + TRANSFER_TIME_MAX;
        let mut upload =
            Upload { registry: self, bytes, file, deadline, in_chunks: true, open: None };
        let mut breaks = 0;
        loop {
            let why = match upload.go_on() {
                Err(Setback::Broken(why)) => why,
                // Some registries take no chunks, or other ones than the specification has, but each takes a file whole.
                Err(Setback::Failed(RegistryError::Refused { .. })) if upload.has_chunks() => {
                    (upload.in_chunks, upload.open) = (false, None);
                    continue;
                }
                // The registry was still busy with the request that broke when it was asked what it has.
                Err(Setback::Failed(
                    error @ (RegistryError::Refused { .. }
                    | RegistryError::Fetch(FetchError::NotThere)),
                )) if breaks > 0 => {
                    upload.open = None;
                    error.to_string()
                }
                Err(Setback::Failed(error)) => return Err(error),
                Ok(()) => return Ok(()),
            };
            if breaks == UPLOAD_BREAKS_MAX || Instant::now() >= deadline {
                let (kept, size) = (upload.kept() as u64, file.size);
                return Err(RegistryError::UploadBroken { breaks: breaks + 1, kept, size, why });
            }
            thread::sleep(UPLOAD_PAUSE * (1 << breaks));
            breaks += 1;
        }
    }
}

/// A file on its way into a registry.
struct Upload<'u> {
    registry: &'u Registry<'u>,
    bytes: &'u [u8],
    file: &'u StoredFile,
    deadline: Instant,
    /// False if the registry has refused chunks.
    in_chunks: bool,
    open: Option<OpenUpload>,
}

/// An upload that the registry has begun.
struct OpenUpload {
    at: PackageUrl,
    chunk: usize,
    /// Bytes that the registry has.
    kept: usize,
}

/// What ends an attempt.
enum Setback {
    /// Another attempt may get further.
    Broken(String),
    Failed(RegistryError),
}

impl From<RegistryError> for Setback {
    fn from(error: RegistryError) -> Setback {
        match error {
            RegistryError::Fetch(
                why @ (FetchError::Unreachable { .. }
                | FetchError::CutOff { .. }
                | FetchError::TimedOut),
            ) => Setback::Broken(why.to_string()),
            error => Setback::Failed(error),
        }
    }
}

impl From<FetchError> for Setback {
    fn from(error: FetchError) -> Setback {
        RegistryError::from(error).into()
    }
}

impl Upload<'_> {
    fn kept(&self) -> usize {
        self.open.as_ref().map_or(0, |open| open.kept)
    }

    /// Whether the upload that has begun has more than one request.
    fn has_chunks(&self) -> bool {
        let is_cut = |open: &OpenUpload| self.bytes.len() > open.chunk || open.kept > 0;
        self.in_chunks && self.open.as_ref().is_some_and(is_cut)
    }

    /// Sends what the registry has not.
    fn go_on(&mut self) -> Result<(), Setback> {
        if let Some(open) = &self.open {
            // Without chunks, a request has the whole file.
            self.open = if self.in_chunks { self.ask_again(open)? } else { None };
        }
        if self.open.is_none() {
            // A request whose answer was lost may have been the last one.
            if self.is_there()? {
                return Ok(());
            }
            self.open = Some(self.begin()?);
        }
        let has_chunks = self.has_chunks();
        let Some(open) = &mut self.open else { return Ok(()) };
        while has_chunks && open.kept < self.bytes.len() {
            let rest = &self.bytes[open.kept..];
            let chunk = &rest[..rest.len().min(open.chunk)];
            open.send(self.registry, chunk, self.deadline)?;
        }
        let digest = self.file.digest.to_string();
        let place = open.at.with_field("digest", &digest).map_err(|_| RegistryError::NoUpload)?;
        let last = &self.bytes[open.kept..];
        let sent = self.registry.send(&|| {
            WebRequest::new(Method::PUT, &place).body(last, OCTETS).until(self.deadline)
        })?;
        success(sent, &[StatusCode::CREATED, StatusCode::ACCEPTED, StatusCode::NO_CONTENT])?;
        Ok(())
    }

    fn is_there(&self) -> Result<bool, RegistryError> {
        let url = self.registry.url(&format!("blobs/{}", self.file.digest))?;
        let known =
            self.registry.send(&|| WebRequest::new(Method::HEAD, &url).until(self.deadline))?;
        Ok(known.status() == StatusCode::OK)
    }

    fn begin(&self) -> Result<OpenUpload, RegistryError> {
        let url = self.registry.url("blobs/uploads/")?;
        let begun = self
            .registry
            .send(&|| WebRequest::new(Method::POST, &url).body(&[], OCTETS).until(self.deadline))?;
        let begun = success(begun, &[StatusCode::ACCEPTED])?;
        let at = place(&begun)?.ok_or(RegistryError::NoUpload)?;
        let smallest = begun.header(CHUNK_MIN).and_then(|text| text.trim().parse().ok());
        let chunk = UPLOAD_CHUNK_BYTES.max(smallest.unwrap_or_default());
        Ok(OpenUpload { at, chunk, kept: 0 })
    }

    /// Asks how much the registry has of an upload. `None` if it knows it no more.
    fn ask_again(&self, open: &OpenUpload) -> Result<Option<OpenUpload>, RegistryError> {
        let asked = self.registry.send(&|| WebRequest::get(&open.at).until(self.deadline))?;
        if !matches!(asked.status(), StatusCode::NO_CONTENT | StatusCode::ACCEPTED) {
            return Ok(None);
        }
        let kept = asked.header(header::RANGE.as_str()).and_then(kept_bytes);
        let at = place(&asked)?.unwrap_or_else(|| open.at.clone());
        let kept = kept.filter(|kept| *kept <= self.bytes.len());
        Ok(kept.map(|kept| OpenUpload { at, kept, chunk: open.chunk }))
    }
}

impl OpenUpload {
    /// Sends the next chunk. The digest judges at the end whether the registry has kept it: what some say in `Range` is wrong.
    fn send(
        &mut self,
        registry: &Registry<'_>,
        chunk: &[u8],
        deadline: Instant,
    ) -> Result<(), Setback> {
        let end = self.kept + chunk.len();
        let range = format!("{}-{}", self.kept, end - 1);
        let sent = registry.send(&|| {
            WebRequest::new(Method::PATCH, &self.at)
                .header(header::CONTENT_RANGE.as_str(), range.clone())
                .body(chunk, OCTETS)
                .until(deadline)
        })?;
        match sent.status() {
            // The registry has more or less than it said, or it has forgotten the upload.
            status @ (StatusCode::RANGE_NOT_SATISFIABLE | StatusCode::NOT_FOUND) => Err(
                Setback::Broken(format!("the registry answers with status {}", status.as_u16())),
            ),
            _ => {
                let sent = success(
                    sent,
                    &[StatusCode::ACCEPTED, StatusCode::CREATED, StatusCode::NO_CONTENT],
                )?;
                if let Some(at) = place(&sent)? {
                    self.at = at;
                }
                self.kept = end;
                Ok(())
            }
        }
    }
}

/// Where an upload goes on.
fn place(response: &WebResponse) -> Result<Option<PackageUrl>, RegistryError> {
    let location = response.header(header::LOCATION.as_str());
    let place = location.map(|location| response.url.redirected(location)).transpose();
    Ok(place.map_err(FetchError::from)?)
}

/// The bytes of a `Range: 0-99`. Registries write `0-0` for none.
fn kept_bytes(range: &str) -> Option<usize> {
    let range = range.trim();
    let (start, end) = range.strip_prefix("bytes=").unwrap_or(range).split_once('-')?;
    match (start.trim(), end.trim().parse::<usize>().ok()?) {
        ("0", 0) => Some(0),
        ("0", end) => end.checked_add(1),
        _ => None,
    }
}
