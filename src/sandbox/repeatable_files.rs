//! Facts about files that differ between machines and days, in the form that a guest sees: each time is the Unix
//! epoch, like that of its clock, a folder lists its names in order, and files have numbers by the order in which the
//! guest has asked about them. So a script cannot know the date, and equal requests give equal results.

use std::collections::{BTreeMap, VecDeque};

use wasmtime_wasi::p2::{
    FsResult,
    bindings::{
        clocks::wall_clock::Datetime,
        filesystem::types::{DescriptorStat, DescriptorType, DirectoryEntry, MetadataHashValue},
    },
};

/// The time of every file.
const EPOCH: Datetime = Datetime { seconds: 0, nanoseconds: 0 };

/// The listings and file numbers of one invocation.
#[derive(Default)]
pub(crate) struct RepeatableFiles {
    /// The rest of each open listing, by its index in the guest's table. Their number and length have limits:
    /// [`crate::disk_quota`].
    listings: BTreeMap<u32, VecDeque<FsResult<DirectoryEntry>>>,
    /// The number of each file that the guest has asked about, by the system's two numbers for it.
    numbers: BTreeMap<(u64, u64), u64>,
    next_number: u64,
}

impl RepeatableFiles {
    /// Stores the entries of a folder in the order of their names. Entries that cannot be read come last.
    pub(crate) fn open_listing(&mut self, rep: u32, mut entries: Vec<FsResult<DirectoryEntry>>) {
        entries.sort_by(|one, other| {
            let name = |entry: &FsResult<DirectoryEntry>| {
                let entry = entry.as_ref().ok()?;
                Some(entry.name.clone())
            };
            let (one, other) = (name(one), name(other));
            one.is_none().cmp(&other.is_none()).then_with(|| one.cmp(&other))
        });
        self.listings.insert(rep, entries.into());
    }

    pub(crate) fn next_entry(&mut self, rep: u32) -> FsResult<Option<DirectoryEntry>> {
        self.listings.get_mut(&rep).and_then(VecDeque::pop_front).transpose()
    }

    pub(crate) fn close_listing(&mut self, rep: u32) {
        self.listings.remove(&rep);
    }

    /// Returns the number that the guest gets in place of the system's.
    pub(crate) fn number_of(&mut self, file: &MetadataHashValue) -> MetadataHashValue {
        let number = self.numbers.entry((file.lower, file.upper)).or_insert_with(|| {
            self.next_number += 1;
            self.next_number
        });
        MetadataHashValue { lower: *number, upper: 0 }
    }

    /// Forgets a number, because the system gives the number of a deleted file to a new one and the guest must not see
    /// that.
    pub(crate) fn forget_number(&mut self, file: &MetadataHashValue) {
        self.numbers.remove(&(file.lower, file.upper));
    }
}

/// Leaves out the facts that depend on the file system, such as the size and the links of a folder.
pub(crate) fn without_machine(stat: DescriptorStat) -> DescriptorStat {
    let is_folder = stat.type_ == DescriptorType::Directory;
    DescriptorStat {
        type_: stat.type_,
        link_count: 1,
        size: if is_folder { 0 } else { stat.size },
        data_access_timestamp: Some(EPOCH),
        data_modification_timestamp: Some(EPOCH),
        status_change_timestamp: Some(EPOCH),
    }
}
