//! The host's services for a script.

use crate::{
    campaign::CampaignFiles, http::HttpBackend, llm::LlmBackend, meaning::MeaningBackend,
    memory::MemoryBackend, store::StoreBackend, story::StoryBackend,
};

#[derive(Clone, Default)]
pub(crate) struct HostServices {
    pub(crate) store: StoreBackend,
    pub(crate) story: StoryBackend,
    pub(crate) memory: MemoryBackend,
    pub(crate) llm: LlmBackend,
    pub(crate) meaning: MeaningBackend,
    pub(crate) http: HttpBackend,
    pub(crate) campaign: CampaignFiles,
}

impl HostServices {
    /// The services of the component's host, if there is one.
    pub(crate) fn from_host() -> HostServices {
        HostServices {
            store: StoreBackend::from_host(),
            story: StoryBackend::from_host(),
            memory: MemoryBackend::from_host(),
            llm: LlmBackend::from_host(),
            meaning: MeaningBackend::from_host(),
            http: HttpBackend::from_host(),
            campaign: CampaignFiles::from_host(),
        }
    }
}
