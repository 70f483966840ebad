//! The first steps of a service on a folder: what the command line pins, and the user who can always sign in (D-30).

use std::io;
use std::path::PathBuf;

use gbac_api::address::address;
use gbac_engine::policy::{Change, Settings};

use crate::app::Service;
use crate::audit::Log;
use crate::auth::Admin;
use crate::config::{Config, License};
use crate::console::Console;
use crate::fault::Fault;
use crate::panics::caught;
use crate::random;
use crate::serve::ServeError;
use crate::store::{Plan, Store, StoreError};

/// Refuses what can be seen to be wrong before anything is opened.
pub(crate) fn check(options: &Service) -> Result<(), ServeError> {
    Settings::check_superuser(&options.admin_user).map_err(ServeError::AdminUser)?;
    if options.admin_user.contains(':') || options.admin_user.chars().any(char::is_control) {
        return Err(ServeError::AdminName(options.admin_user.clone()));
    }
    check_password(options.admin_password.as_deref())?;
    if let Some(url) = &options.oidc_discovery_url {
        address(url).map_err(ServeError::Discovery)?;
    }
    match &options.oidc_audience {
        Some(audience) if audience.is_empty() => Err(ServeError::EmptyAudience),
        _ => Ok(()),
    }
}

/// Refuses a password that is empty.
pub(crate) fn check_password(password: Option<&str>) -> Result<(), ServeError> {
    if password == Some("") { Err(ServeError::EmptyPassword) } else { Ok(()) }
}

/// Puts what the command line says in place of what is stored.
fn pin(config: &mut Config, options: &Service) {
    if let Some(url) = &options.oidc_discovery_url {
        config.oidc_discovery_url.clone_from(url);
        config.pinned.insert("oidc_discovery_url");
    }
    if let Some(audience) = &options.oidc_audience {
        config.oidc_token_audience.clone_from(audience);
        config.pinned.insert("oidc_token_audience");
    }
    pin_license(config, options.license);
}

/// The audit log, in a file or in memory only.
pub(crate) fn audit(file: Option<PathBuf>) -> Result<Log, ServeError> {
    Log::new(file.clone()).map_err(|error| ServeError::Audit { file: file.unwrap_or_default(), error })
}

/// The licence that the command line says there is.
pub(crate) fn pin_license(config: &mut Config, license: Option<License>) {
    if let Some(license) = license {
        config.license = license;
        config.pinned.insert("license");
    }
}

/// The store, and the user with a password.
pub(crate) fn open(options: &Service) -> Result<(Store, Admin, Option<String>), ServeError> {
    // A damaged file makes the library panic: when it is opened, read, first written, and closed as well.
    let opened = caught(|| {
        let store = Store::open(&options.data, |config| pin(config, options)).map_err(ServeError::Store)?;
        let (admin, first) = admin(&store, options)?;
        Ok((store, admin, first))
    });
    opened.unwrap_or_else(|| Err(ServeError::Store(StoreError::unreadable())))
}

/// The user with a password: the one given, the stored one, or a new one, which comes back to be told once.
fn admin(store: &Store, options: &Service) -> Result<(Admin, Option<String>), ServeError> {
    let name = &options.admin_user;
    // Where a password is given the stored one is not looked at, so that it can take the place of a damaged one.
    let stored = match options.admin_password {
        None => store.password(name).map_err(|error| unread(error, name))?,
        Some(_) => None,
    };
    let (admin, first) = match (&options.admin_password, stored) {
        (None, Some(hash)) => match Admin::from_stored(name.clone(), &hash) {
            Ok(admin) => (admin, None),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return Err(ServeError::StoredPassword(name.clone()));
            }
            Err(error) => return Err(ServeError::Start(error)),
        },
        (Some(password), _) => (Admin::new(name.clone(), password).map_err(ServeError::Start)?, None),
        (None, None) => {
            let password = random::hex(&random::bytes::<16>().map_err(ServeError::Start)?);
            (Admin::new(name.clone(), &password).map_err(ServeError::Start)?, Some(password))
        }
    };
    if options.admin_password.is_some() || first.is_some() {
        store.set_password(name, admin.stored()).map_err(ServeError::Store)?;
    }
    let user = name.clone();
    let superuser = store.change_now(move |held| {
        let mut settings = held.policy.settings().clone();
        settings.superusers.insert(user);
        Ok::<_, Fault>(Plan::Changes(vec![Change::Settings(Box::new(settings))], ()))
    });
    superuser.map_err(|fault| ServeError::Start(io::Error::other(fault.message())))?;
    Ok((admin, first))
}

fn unread(error: StoreError, name: &str) -> ServeError {
    match error {
        StoreError::Damaged(_) => ServeError::StoredPassword(name.to_owned()),
        error => ServeError::Store(error),
    }
}

/// The console's files.
pub(crate) fn console(folder: Option<PathBuf>) -> Result<Console, ServeError> {
    match folder {
        Some(folder) => Console::from_folder(&folder).map_err(|error| ServeError::Console { folder, error }),
        None => Ok(Console::embedded()),
    }
}
