//! What an acknowledged append survives.

/// What an acknowledged append survives, in rising order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DurabilityLevel {
    /// Nothing: the data is in the memory of this process.
    Memory,
    /// A crash of any process, but not a power cut.
    ProcessCrash,
    /// A power cut, but not the loss of the disk.
    PowerLoss,
    /// A power cut of all machines and the loss of one of them.
    PowerLossReplicated,
}

/// What an acknowledged append survives, as reported by the engine itself. A setting that cannot be
/// seen counts as the weakest one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Durability {
    /// What an acknowledged append survives.
    pub level: DurabilityLevel,
    /// The settings that were read from the engine, and those that would raise the level.
    pub evidence: Vec<String>,
}
