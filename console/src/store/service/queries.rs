//! Further requests of pages: connection tests, properties, loggers, license, audit events.

use std::sync::Arc;

use gbac_api::cluster_config::ConfigChange;
use gbac_api::license::LicenseBody;
use gbac_api::loggers::{LogLevel, Logger};
use gbac_api::security::OidcIdentity;
use gbac_api::target::TargetAnswer;
use gbac_api::what_if::{SettingsReport, SettingsWhatIf};
use gbac_console_model::connection::probe::ProbeStep;
use gbac_console_model::connection::{Connection, Credentials};
use gbac_console_model::failure::Failure;
use gbac_console_model::saved_tests::{SavedTest, ServiceTests};
use gbac_engine::policy::Policy;
use gbac_words::pages::backend as words;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::{Map, Value};

use crate::store::service::Service;
use crate::{backend, dom};

/// How often tests are read again if others change them at the same moment.
const TRIES: usize = 5;

impl Service {
    /// Asks each API of a connection once, and changes nothing.
    pub async fn probe(self, connection: &Connection, credentials: Credentials) -> Vec<ProbeStep> {
        let own = self.held.credentials.get_untracked();
        let opened = self.held.opened.get_untracked();
        let upstream = self.upstream();
        backend::probe(connection, &upstream, credentials, own, opened.as_deref()).await
    }

    /// What the connected cluster has, and what it does not have.
    ///
    /// # Errors
    /// What the service or the browser said.
    pub async fn features(self, connection: &Connection) -> Result<TargetAnswer, Failure> {
        backend::features(connection, &self.target()).await
    }

    /// Reads again what the service says about itself, which changes with its identity provider.
    ///
    /// # Errors
    /// What the service or the browser said.
    pub async fn read_info(self) -> Result<(), Failure> {
        let target = self.target();
        let info = backend::service_info(&target).await?;
        let is_known = self
            .held
            .info
            .with_untracked(|held| held.as_ref() == Some(&info));
        // Another cluster may be open by now.
        if !is_known && target.base == self.target().base {
            self.held.keys.set(backend::provider_keys(&info).await);
            self.held.info.set(Some(info));
        }
        Ok(())
    }

    /// The cluster properties by name.
    ///
    /// # Errors
    /// What the service or the browser said.
    pub async fn properties(self) -> Result<Map<String, Value>, Failure> {
        backend::properties(&self.target()).await
    }

    /// The names of the properties that the command line has set, so that they cannot be changed.
    ///
    /// # Errors
    /// What the service or the browser said.
    pub async fn pinned(self) -> Result<Vec<String>, Failure> {
        let schema = backend::schema(&self.target()).await?;
        Ok(schema
            .properties
            .into_iter()
            .filter(|(_, property)| property.pinned)
            .map(|(name, _)| name)
            .collect())
    }

    /// Gives one cluster property a value, and reads the service again.
    ///
    /// # Errors
    /// What the service or the browser said.
    pub async fn set_property(self, name: &str, value: Value) -> Result<(), Failure> {
        let upsert = [(name.to_owned(), value)].into_iter().collect();
        let change = ConfigChange {
            upsert,
            remove: Vec::new(),
        };
        let sent = backend::change_properties(&change, &self.target()).await;
        self.read().await;
        sent
    }

    /// The loggers with their levels.
    ///
    /// # Errors
    /// What the service or the browser said.
    pub async fn loggers(self) -> Result<Vec<Logger>, Failure> {
        backend::loggers(&self.target()).await
    }

    /// The level of one logger, and in how many seconds it reverts.
    ///
    /// # Errors
    /// What the service or the browser said.
    pub async fn log_level(self, name: &str) -> Result<LogLevel, Failure> {
        backend::log_level(name, &self.target()).await
    }

    /// Sets the level of a logger for so many seconds; 0 never reverts.
    ///
    /// # Errors
    /// What the service or the browser said.
    pub async fn set_log_level(self, name: &str, level: &str, seconds: u32) -> Result<(), Failure> {
        backend::set_log_level(name, level, seconds, &self.target())
            .await
            .map(drop)
    }

    /// Whom the service sees in a token, and which groups: sends the token to it.
    ///
    /// # Errors
    /// What the service or the browser said.
    pub async fn resolve(self, token: String) -> Result<OidcIdentity, Failure> {
        backend::resolve(token, &self.target()).await
    }

    /// What the service's license is.
    ///
    /// # Errors
    /// What the service or the browser said.
    pub async fn license(self) -> Result<LicenseBody, Failure> {
        backend::license(&self.target()).await
    }

    /// The tests that are stored with the service.
    ///
    /// # Errors
    /// What the service or the browser said.
    pub async fn tests(self) -> Result<ServiceTests, Failure> {
        backend::tests(&self.target()).await
    }

    /// Stores a test with the service, beside what others store meanwhile; its number, and whether
    /// it is a new one.
    ///
    /// # Errors
    /// What the service or the browser said.
    pub async fn store_test(self, test: &SavedTest) -> Result<(usize, bool), Failure> {
        let target = self.target();
        for _ in 0..TRIES {
            let read = backend::tests(&target).await?;
            let (number, body) = read.with(test);
            let Some(body) = body else {
                return Ok((number, false));
            };
            match backend::put_tests(body, &read.etag, &target).await {
                Err(failure) if failure.is_changed() => {}
                answer => return answer.map(|()| (number, true)),
            }
        }
        Err(Failure::impossible("tests_changed", words::TESTS_CHANGE))
    }

    /// Deletes a stored test of the service, and reads the others.
    ///
    /// # Errors
    /// What the service or the browser said.
    pub async fn delete_test(self, test: &SavedTest) -> Result<ServiceTests, Failure> {
        let target = self.target();
        for _ in 0..TRIES {
            let read = backend::tests(&target).await?;
            match backend::put_tests(read.without(test), &read.etag, &target).await {
                Err(failure) if failure.is_changed() => {}
                Err(failure) => return Err(failure),
                Ok(()) => return backend::tests(&target).await,
            }
        }
        Err(Failure::impossible("tests_changed", words::TESTS_CHANGE))
    }

    /// Where other clients reach the service, with the cluster that is open.
    #[must_use]
    pub fn url(self) -> String {
        format!("{}{}", dom::origin(), self.target().base)
    }

    /// The policy of another Kafka cluster of the service.
    ///
    /// # Errors
    /// What the service or the browser said.
    pub async fn policy_of(self, cluster: &str) -> Result<Arc<Policy>, Failure> {
        let target = self.target().of_cluster(Some(cluster));
        let read = backend::policy(None, &target).await?;
        let read =
            read.ok_or_else(|| Failure::impossible("nothing_read", words::POLICY_NOT_READ))?;
        Ok(Arc::new(read.policy))
    }

    /// What other settings of the brokers would change; without any, the present ones.
    ///
    /// # Errors
    /// What the service or the browser said.
    pub async fn what_if(self, request: &SettingsWhatIf) -> Result<SettingsReport, Failure> {
        backend::what_if(request, &self.target()).await
    }

    /// Reads the list of Kafka clusters again, in the background; if that fails, it stays.
    pub fn reload_clusters(self) {
        spawn_local(async move {
            if let Ok(clusters) = backend::clusters(&self.target()).await {
                self.held.clusters.set(clusters);
            }
        });
    }

    /// The last audit events, newest first.
    ///
    /// # Errors
    /// What the service or the browser said.
    pub async fn events(self, limit: usize) -> Result<Vec<Value>, Failure> {
        backend::events(limit, &self.target()).await
    }
}
