//! Packages on servers: files at addresses ([`fetch()`]), and registries of OCI ([`Registry`]). Knows HTTP, and how a package is
//! laid out in a registry; knows nothing of what is in a package, nor where it is installed.
//!
//! One rule holds for each request. An address is `https`, or on this machine. A redirect follows the same rule and leads neither
//! to plain `http` nor from another machine to this one. What belongs to one server, such as a token, goes to no other. Nothing is
//! read past its limit, whatever length the server gives, and the caller gets whole files alone.

mod address;
mod answers;
mod challenge;
mod client;
mod credentials;
mod fetch;
mod fetch_error;
mod helper;
mod layout;
mod limits;
pub mod outside;
mod publish;
mod reference;
mod registry;
#[cfg(test)]
mod tests;
mod upload;

pub use address::{PackageUrl, UrlError};
pub use client::WebClient;
pub use credentials::{CredentialError, CredentialFiles};
pub use fetch::{fetch, fetch_bytes};
pub use fetch_error::FetchError;
pub use helper::HelperError;
pub use layout::LayoutError;
pub use publish::{Attachment, AttachmentKind, Publication, Published};
pub use reference::{OciDigest, OciReference, OciReferenceError};
pub use registry::{FoundPackage, Registry, RegistryError};
