//! The two sides, and where the policy of each comes from.

use gbac_words::escape::plain;

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SideSource {
    /// The cluster of the console, as it was read last.
    Cluster,
    /// The same with the draft.
    Draft,
    /// Another Kafka cluster of the service, by its name.
    Other(String),
    /// A policy document, or anything else that an import reads.
    Document,
}

/// What an ID of another cluster begins with.
const OTHER: &str = "of ";

impl SideSource {
    /// The sources that are offered: every cluster of the service, and a document. The cluster of
    /// the console is named where there are others.
    pub fn offered(clusters: &[String], open: Option<&str>) -> Vec<Self> {
        let mut offered = vec![Self::Cluster, Self::Draft];
        for name in clusters {
            if open != Some(name.as_str()) {
                offered.push(Self::Other(name.clone()));
            }
        }
        offered.push(Self::Document);
        offered
    }

    /// The same, where `open` is the cluster of the console.
    #[must_use]
    pub fn in_console(self, open: Option<&str>) -> Self {
        match self {
            Self::Other(name) if open == Some(name.as_str()) => Self::Cluster,
            source => source,
        }
    }

    /// Its name in the page, and in its address.
    pub fn id(&self) -> String {
        match self {
            Self::Cluster => "cluster".to_owned(),
            Self::Draft => "draft".to_owned(),
            Self::Other(name) => format!("{OTHER}{name}"),
            Self::Document => "document".to_owned(),
        }
    }

    /// What a list of them says; `open` is the name of the cluster of the console, where there are
    /// others.
    pub fn label(&self, open: Option<&str>) -> String {
        match (self, open) {
            (Self::Cluster, Some(open)) => plain(open),
            (Self::Cluster, None) => "This cluster".to_owned(),
            (Self::Draft, Some(open)) => format!("{} with the draft", plain(open)),
            (Self::Draft, None) => "This cluster with the draft".to_owned(),
            (Self::Other(name), _) => plain(name),
            (Self::Document, _) => "A policy document".to_owned(),
        }
    }

    /// The one of this name.
    pub fn find(id: &str) -> Option<Self> {
        match (id, id.strip_prefix(OTHER)) {
            (_, Some(name)) if !name.is_empty() => Some(Self::Other(name.to_owned())),
            ("cluster", _) => Some(Self::Cluster),
            ("draft", _) => Some(Self::Draft),
            ("document", _) => Some(Self::Document),
            _ => None,
        }
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
