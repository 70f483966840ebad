//! Open identities by handle. A handle that was closed is refused, also when its place is in use again.

use gbac_engine::PreparedIdentity;

use crate::AbiError;

/// How many bits of a handle say the place; those above count how often the place was used.
const PLACE_BITS: u32 = 20;
const MOST_PLACES: usize = 1 << PLACE_BITS;
const GENERATIONS: u32 = 1 << 10;

/// Open identities.
#[derive(Debug, Default)]
pub(crate) struct Identities {
    places: Vec<Place>,
    free: Vec<usize>,
}

#[derive(Debug)]
struct Place {
    generation: u32,
    identity: Option<Box<PreparedIdentity>>,
}

impl Identities {
    /// Keeps an identity, and returns its handle.
    pub(crate) fn open(&mut self, identity: PreparedIdentity) -> Result<i32, AbiError> {
        let at = match self.free.pop() {
            Some(at) => at,
            None if self.places.len() == MOST_PLACES => return Err(AbiError::Limit),
            None => {
                self.places.push(Place { generation: 0, identity: None });
                self.places.len() - 1
            }
        };
        let place = self.places.get_mut(at).ok_or(AbiError::Limit)?;
        place.identity = Some(Box::new(identity));
        Ok((place.generation << PLACE_BITS | at as u32) as i32)
    }

    /// Forgets an identity.
    pub(crate) fn close(&mut self, handle: i32) -> Result<(), AbiError> {
        let at = self.place(handle)?;
        let place = self.places.get_mut(at).ok_or(AbiError::Handle)?;
        place.identity = None;
        place.generation = (place.generation + 1) % GENERATIONS;
        self.free.push(at);
        Ok(())
    }

    /// The identity of a handle.
    pub(crate) fn get(&mut self, handle: i32) -> Result<&mut PreparedIdentity, AbiError> {
        let at = self.place(handle)?;
        self.places.get_mut(at).and_then(|place| place.identity.as_deref_mut()).ok_or(AbiError::Handle)
    }

    /// Forgets all of them; their handles stay refused.
    pub(crate) fn clear(&mut self) {
        self.free.clear();
        for (at, place) in self.places.iter_mut().enumerate() {
            if place.identity.take().is_some() {
                place.generation = (place.generation + 1) % GENERATIONS;
            }
            self.free.push(at);
        }
    }

    fn place(&self, handle: i32) -> Result<usize, AbiError> {
        let handle = u32::try_from(handle).map_err(|_| AbiError::Handle)?;
        let at = handle as usize & (MOST_PLACES - 1);
        let is_open = |place: &Place| place.identity.is_some() && place.generation == handle >> PLACE_BITS;
        self.places.get(at).filter(|place| is_open(place)).map(|_| at).ok_or(AbiError::Handle)
    }
}

#[cfg(test)]
mod tests {
    use gbac_engine::{Identity, Policy};

    use super::*;

    #[test]
    fn a_closed_handle_is_never_another_identity() {
        let policy = Policy::default();
        let open = |name: &str| PreparedIdentity::new(&policy, Identity::new(name, [""; 0]));
        let mut identities = Identities::default();
        let (a, b) = (identities.open(open("a")).unwrap(), identities.open(open("b")).unwrap());
        identities.close(a).unwrap();
        assert_eq!(identities.close(a), Err(AbiError::Handle));
        let c = identities.open(open("c")).unwrap();
        assert_eq!(identities.get(c).unwrap().identity().user(), "c");
        assert_eq!(identities.get(b).unwrap().identity().user(), "b");
        for handle in [a, -1, i32::MIN, i32::MAX, 7, c + (1 << 20)] {
            assert_eq!(identities.get(handle).err(), Some(AbiError::Handle), "{handle}");
        }
        identities.clear();
        for handle in [b, c] {
            assert_eq!(identities.get(handle).err(), Some(AbiError::Handle));
        }
        let d = identities.open(open("d")).unwrap();
        assert!(d >= 0 && ![a, b, c].contains(&d));
    }
}
