//! Open identities by handle. A closed handle is always refused, even after its place is reused.

use crate::AbiError;
use crate::open_identity::OpenIdentity;

/// The bits of a handle that are the index of its place. The bits above, without the sign, count
/// the uses of the place.
const PLACE_BITS: u32 = 20;
const MAX_PLACES: usize = 1 << PLACE_BITS;
const LAST_GENERATION: u32 = (1 << 11) - 1;

/// Open identities.
#[derive(Debug, Default)]
pub(crate) struct Identities {
    places: Vec<Place>,
    free: Vec<usize>,
}

#[derive(Debug)]
struct Place {
    generation: u32,
    identity: Option<Box<OpenIdentity>>,
}

impl Place {
    /// Closes its identity. Returns whether the place can be used again: not after its last
    /// generation, because a handle would occur twice.
    fn close(&mut self) -> bool {
        self.identity = None;
        let is_reusable = self.generation < LAST_GENERATION;
        self.generation = self.generation.saturating_add(1);
        is_reusable
    }
}

impl Identities {
    /// Adds an identity and returns its handle.
    pub(crate) fn open(&mut self, identity: OpenIdentity) -> Result<i32, AbiError> {
        let at = match self.free.pop() {
            Some(at) => at,
            None if self.places.len() == MAX_PLACES => return Err(AbiError::Limit),
            None => {
                self.places.push(Place {
                    generation: 0,
                    identity: None,
                });
                self.places.len() - 1
            }
        };
        let place = self.places.get_mut(at).ok_or(AbiError::Limit)?;
        place.identity = Some(Box::new(identity));
        Ok((place.generation << PLACE_BITS | at as u32) as i32)
    }

    /// Closes an identity.
    pub(crate) fn close(&mut self, handle: i32) -> Result<(), AbiError> {
        let at = self.place(handle)?;
        let place = self.places.get_mut(at).ok_or(AbiError::Handle)?;
        if place.close() {
            self.free.push(at);
        }
        Ok(())
    }

    /// The identity of a handle.
    pub(crate) fn get(&mut self, handle: i32) -> Result<&mut OpenIdentity, AbiError> {
        let at = self.place(handle)?;
        self.places
            .get_mut(at)
            .and_then(|place| place.identity.as_deref_mut())
            .ok_or(AbiError::Handle)
    }

    /// Closes all identities.
    pub(crate) fn clear(&mut self) {
        for (at, place) in self.places.iter_mut().enumerate() {
            if place.identity.is_some() && place.close() {
                self.free.push(at);
            }
        }
    }

    fn place(&self, handle: i32) -> Result<usize, AbiError> {
        let handle = u32::try_from(handle).map_err(|_| AbiError::Handle)?;
        let at = handle as usize & (MAX_PLACES - 1);
        match self.places.get(at) {
            Some(place) if place.identity.is_some() && place.generation == handle >> PLACE_BITS => {
                Ok(at)
            }
            _ => Err(AbiError::Handle),
        }
    }
}

#[cfg(test)]
mod tests {
    use gbac_engine::Policy;

    use super::*;

    /// A user without groups.
    fn record(name: &str) -> Vec<u8> {
        let principal = format!("User:{name}");
        let mut bytes = (principal.len() as u32).to_le_bytes().to_vec();
        bytes.extend(principal.as_bytes());
        bytes.extend([0; 4]);
        bytes
    }

    fn user(identities: &mut Identities, handle: i32) -> String {
        let identity = identities.get(handle).unwrap().whole().unwrap();
        identity.user().to_owned()
    }

    #[test]
    fn a_closed_handle_is_never_another_identity() {
        let policy = Policy::default();
        let open = |name: &str| OpenIdentity::new(&policy, &record(name)).unwrap();
        let mut identities = Identities::default();
        let (a, b) = (
            identities.open(open("a")).unwrap(),
            identities.open(open("b")).unwrap(),
        );
        identities.close(a).unwrap();
        assert_eq!(identities.close(a), Err(AbiError::Handle));
        let c = identities.open(open("c")).unwrap();
        assert_eq!(user(&mut identities, c), "c");
        assert_eq!(user(&mut identities, b), "b");
        for handle in [a, -1, i32::MIN, i32::MAX, 7, c + (1 << 20)] {
            assert_eq!(
                identities.get(handle).err(),
                Some(AbiError::Handle),
                "{handle}"
            );
        }
        identities.clear();
        for handle in [b, c] {
            assert_eq!(identities.get(handle).err(), Some(AbiError::Handle));
        }
        let d = identities.open(open("d")).unwrap();
        assert!(d >= 0 && ![a, b, c].contains(&d));
    }

    #[test]
    fn no_handle_occurs_twice() {
        let policy = Policy::default();
        let mut identities = Identities::default();
        let mut handles = std::collections::BTreeSet::new();
        for round in 0..3 * LAST_GENERATION {
            let handle = identities
                .open(OpenIdentity::new(&policy, &record("a")).unwrap())
                .unwrap();
            assert!(handle >= 0 && handles.insert(handle), "{round}");
            if round % 2 == 0 {
                identities.close(handle).unwrap();
            } else {
                identities.clear();
            }
        }
        assert_eq!(
            identities.places.len(),
            3,
            "a place is used {} times",
            LAST_GENERATION + 1
        );
    }
}
