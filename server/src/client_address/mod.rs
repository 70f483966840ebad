//! Whose network address counts as the caller's: that of the peer, or of the client behind trusted
//! proxies, such as load balancers. And the network around it, which limits are counted for.

mod client_behind_proxies;
mod client_network;
mod trusted_proxies;

#[cfg(any(test, feature = "fuzz"))]
pub(crate) use client_behind_proxies::ForwardedClient;
pub(crate) use client_behind_proxies::find_client;
pub(crate) use client_network::{ClientNetwork, NetworkSlot, NetworkSlots};
pub(crate) use trusted_proxies::TrustedProxies;
pub use trusted_proxies::TrustedProxyError;
