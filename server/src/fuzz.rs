//! The bodies and initial inputs of the fuzz targets of the service, which the regular tests also
//! run.

pub use crate::http::fuzz::{forwarding, forwarding_starts, messages, messages_starts};
pub use crate::state::store::fuzz::{backup, backup_starts};
pub use crate::upstream::fuzz::{relay, relay_starts};

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the target on every initial input, at up to 100 places truncated, with one byte
    /// changed, and with one inserted, too.
    fn each(starts: &[Vec<u8>], least: usize, target: fn(&[u8])) {
        assert!(starts.len() >= least, "{} starts", starts.len());
        for (number, start) in starts.iter().enumerate() {
            target(start);
            for place in (number % 7..start.len()).step_by(start.len() / 100 + 1) {
                let mut changed = start.clone();
                changed[place] = start[(place * 31 + number) % start.len()];
                target(&changed);
                target(&[&start[..place], b"\x01", &start[place..]].concat());
                target(&start[..place]);
            }
        }
    }

    #[test]
    fn the_messages_target_holds_on_its_starts() {
        each(&messages_starts(), 60, messages);
    }

    #[test]
    fn the_forwarding_target_holds_on_its_starts() {
        each(&forwarding_starts(), 20, forwarding);
    }

    #[test]
    fn the_relay_target_holds_on_its_starts() {
        each(&relay_starts(), 20, relay);
    }

    #[test]
    fn the_backup_target_holds_on_its_starts() {
        each(&backup_starts(), 3, backup);
    }
}
