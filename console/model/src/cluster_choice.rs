//! The choice between the Kafka clusters of a service.

use gbac_api::service::ListedCluster;
use gbac_words::pages::cluster::state_label;

use crate::address;

/// A cluster that pages can show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterChoice {
    /// Its name.
    pub name: String,
    /// The address of the same page about it.
    pub address: String,
    /// Whether the pages show it.
    pub is_open: bool,
    /// What is wrong with it, in a word.
    pub state: Option<&'static str>,
}

/// The clusters of a service, where there is something to choose: several, or one while the pages
/// are about another one, which is not there.
pub fn cluster_choices(
    listed: &[ListedCluster],
    open: Option<&str>,
    here: &str,
) -> Vec<ClusterChoice> {
    let mut choices = Vec::new();
    for ListedCluster { cluster, .. } in listed {
        choices.push(ClusterChoice {
            name: cluster.name.clone(),
            address: address::in_cluster(here, Some(&cluster.name)),
            is_open: open == Some(cluster.name.as_str()),
            state: state_label(cluster),
        });
    }
    if choices.len() == 1 && choices.iter().all(|choice| choice.is_open) {
        choices.clear();
    }
    choices
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(text: &str) -> Vec<ListedCluster> {
        let mut value = serde_json::json!([
            { "name": "eu 1", "first": true, "path": "/gbac/v1/clusters/eu%201",
              "kind": "kafka", "group_acls": "plugin", "read_at": 1_800_000_000 },
            { "name": "dr", "first": false, "path": "/gbac/v1/clusters/dr",
              "kind": "unknown", "group_acls": "unknown", "stale": true },
        ]);
        if text == "one" {
            value.as_array_mut().unwrap().pop();
        }
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn each_cluster_has_the_address_of_the_same_page() {
        let here = "/security/roles?name=a&cluster=dr#role=R";
        let found = cluster_choices(&listed("two"), Some("dr"), here);
        let read: Vec<_> = found
            .iter()
            .map(|choice| (choice.address.as_str(), choice.is_open, choice.state))
            .collect();
        assert_eq!(
            read,
            [
                ("/security/roles?name=a&cluster=eu%201#role=R", false, None),
                (
                    "/security/roles?name=a&cluster=dr#role=R",
                    true,
                    Some("not reached")
                ),
            ]
        );
    }

    #[test]
    fn one_cluster_is_no_choice_unless_another_one_is_open() {
        let one = listed("one");
        assert_eq!(cluster_choices(&one, Some("eu 1"), "/"), []);
        assert_eq!(cluster_choices(&[], Some("gone"), "/"), []);
        let away = cluster_choices(&one, Some("gone"), "/");
        assert!(away.len() == 1 && !away[0].is_open);
    }
}
