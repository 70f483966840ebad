//! systemd: the socket that it passes (`LISTEN_FDS`), and the messages about the state of the
//! service (`NOTIFY_SOCKET`).

use std::io;
use std::net::TcpListener;

use listenfd::ListenFd;
use sd_notify::NotifyState;

/// The first socket that systemd passed to this process, if any.
pub(super) fn listener() -> io::Result<Option<TcpListener>> {
    ListenFd::from_env().take_tcp_listener(0)
}

/// Says that the service accepts requests.
pub(super) fn notify_ready() {
    notify(&[NotifyState::Ready]);
}

/// Says that the service stops.
pub(super) fn notify_stopping() {
    notify(&[NotifyState::Stopping]);
}

fn notify(state: &[NotifyState<'_>]) {
    // Without systemd, this does nothing.
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!(target: "main", %error, "systemd was not notified");
    }
}
