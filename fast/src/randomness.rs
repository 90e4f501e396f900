//! Keyed draws, as `arena/randomness.py` defines them.

use std::fmt::{Display, Write};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::dice::{Dice, FACES};

/// A source of draws computed from a match key.
pub struct Randomness(Hmac<Sha256>);

impl Randomness {
    /// Return the source of a key.
    pub fn new(match_key: &[u8; 32]) -> Self {
        let mut padded = [0; 64];
        padded[..match_key.len()].copy_from_slice(match_key);
        Self(Hmac::new(&padded.into()))
    }

    /// Return the number in [0, bound) for `key`, 1 to 6; equally likely, by rejection.
    pub fn below(&self, key: impl Display, bound: u8) -> u8 {
        let bound = u64::from(bound);
        // The last number of the last complete block: 2^64 - 1 - 2^64 % bound.
        let last = u64::MAX - (u64::MAX % bound + 1) % bound;
        let mut attempt = 0_u32;
        loop {
            let mut mac = Hashed(self.0.clone());
            // Hashing does not fail.
            let _ = write!(mac, "{key}#{attempt}");
            let digest = mac.0.finalize().into_bytes();
            let number = digest[..8].iter().fold(0, |number, &byte| number << 8 | u64::from(byte));
            if number <= last {
                return (number % bound) as u8;
            }
            attempt += 1;
        }
    }

    /// Return `count` dice; each has the key "<prefix> die <number>".
    pub fn roll(&self, prefix: impl Display, count: u8) -> Dice {
        let mut dice = Dice::default();
        for die in 0..count {
            dice.add(1 + self.below(format_args!("{prefix} die {die}"), FACES as u8));
        }
        dice
    }
}

/// A text that is hashed as it is written.
struct Hashed(Hmac<Sha256>);

impl Write for Hashed {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}
