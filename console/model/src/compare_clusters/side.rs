//! The two sides, and where the policy of each comes from.

/// One of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClusterSide {
    /// The first.
    A,
    /// The second.
    B,
}

impl ClusterSide {
    /// Both.
    pub const ALL: [Self; 2] = [Self::A, Self::B];

    /// Its name.
    pub const fn letter(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
        }
    }

    /// Its place.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// Where the policy of a side comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SideSource {
    /// The cluster of the console, as it was read last.
    Cluster,
    /// The same with the draft.
    Draft,
    /// A policy document, or anything else that an import reads.
    Document,
}

impl SideSource {
    /// Every source.
    pub const ALL: [Self; 3] = [Self::Cluster, Self::Draft, Self::Document];

    /// Its name in the page.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Cluster => "cluster",
            Self::Draft => "draft",
            Self::Document => "document",
        }
    }

    /// What a list of them says.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Cluster => "This cluster",
            Self::Draft => "This cluster with the draft",
            Self::Document => "A policy document",
        }
    }

    /// The one of this name.
    pub fn find(id: &str) -> Self {
        let mut all = Self::ALL.into_iter();
        all.find(|source| source.id() == id)
            .unwrap_or(Self::Document)
    }
}

/// In which of the clusters something is allowed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DifferenceSide {
    /// Any difference.
    #[default]
    All,
    /// Only A allows it.
    OnlyA,
    /// Only B allows it.
    OnlyB,
    /// It is in both, and different: a setting, or a deny that only one of them has.
    Both,
}

impl DifferenceSide {
    /// Every choice.
    pub const ALL: [Self; 4] = [Self::All, Self::OnlyA, Self::OnlyB, Self::Both];

    /// Its name in the page.
    pub const fn id(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::OnlyA => "a",
            Self::OnlyB => "b",
            Self::Both => "both",
        }
    }

    /// What the control says.
    pub const fn label(self) -> &'static str {
        match self {
            Self::All => "All",
            Self::OnlyA => "Only in A",
            Self::OnlyB => "Only in B",
            Self::Both => "In both, different",
        }
    }

    /// The one of this name.
    pub fn find(id: &str) -> Self {
        let mut all = Self::ALL.into_iter();
        all.find(|side| side.id() == id).unwrap_or_default()
    }
}
