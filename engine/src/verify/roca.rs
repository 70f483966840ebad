//! Detects RSA keys of a faulty library whose private part can be computed from the public one
//! (CVE-2017-15361, "ROCA").

/// Modulo each of these primes, the moduli of that library are powers of [`GENERATOR`].
const PRIMES: [u32; 38] = [
    3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97,
    101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
];
const GENERATOR: u32 = 65_537;

/// The shortest moduli of that library, in bytes. Shorter ones are refused because of their length.
const SHORTEST: usize = 64;

/// Whether a modulus (most significant byte first) is from that library. One in a hundred million
/// others is a false positive.
pub(super) fn is_vulnerable(modulus: &[u8]) -> bool {
    modulus.len() >= SHORTEST
        && PRIMES.iter().all(|&prime| {
            let remainder = modulus
                .iter()
                .fold(0, |rest, byte| (rest * 256 + u32::from(*byte)) % prime);
            let mut power = 1;
            // Tries all powers: they repeat after at most `prime` steps.
            (0..prime).any(|_| {
                power = power * GENERATOR % prime;
                power == remainder
            })
        })
}

#[cfg(test)]
mod tests {
    use rsa::BigUint;

    use super::*;

    #[test]
    fn powers_of_the_generator_are_found_and_others_are_not() {
        // The size of a key of 2048 bits. Adding a multiple of all primes does not change the
        // remainders.
        let power = BigUint::from(GENERATOR)
            .modpow(&BigUint::from(128_u32), &(BigUint::from(1_u32) << 4_096));
        let product = PRIMES
            .iter()
            .fold(BigUint::from(2_u32), |product, prime| product * *prime);
        for vulnerable in [
            power.clone(),
            &power + &product,
            &power + product * 12_345_u32,
        ] {
            assert!(is_vulnerable(&vulnerable.to_bytes_be()));
        }
        for offset in [2_u32, 4, 6, 1_000] {
            assert!(!is_vulnerable(
                &(&power + BigUint::from(offset)).to_bytes_be()
            ));
        }
        assert!(!is_vulnerable(&[0xff; 256]));
    }
}
