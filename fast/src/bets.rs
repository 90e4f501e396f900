//! The order of bets: the bounds of the bets that raise a standing one (BL-11 to 18).

use crate::dice::{Dice, FACES, STAR};

/// The largest quantity under `bet_cap = table` (BL-16).
pub const TABLE_CAP: u8 = 99;

/// A bet, with the dice laid out with it.
#[derive(Clone, Copy)]
pub struct Bet {
    /// At least how many dice show the face, 1 to `TABLE_CAP`.
    pub quantity: u8,
    /// The face, 1 to 6.
    pub face: u8,
    /// The dice laid out.
    pub show: Dice,
}

/// An answer of a seat.
#[derive(Clone, Copy)]
pub enum Choice {
    /// A bet.
    Bet(Bet),
    /// A doubt of the standing bet.
    Doubt,
}

/// Return, by face, the lowest quantity that is higher than a standing bet (BL-14).
///
/// From number q the next star is q / 2 + 1; from star n the next number is 2n.
pub fn lowest_raises(standing: Option<Bet>) -> [u8; FACES] {
    match standing {
        None => [1; FACES],
        Some(Bet { quantity, face: STAR, .. }) => {
            let number = 2 * quantity;
            [number, number, number, number, number, quantity + 1]
        }
        Some(Bet { quantity, face, .. }) => {
            let turned = |other: u8| quantity + u8::from(other <= face);
            [turned(1), turned(2), turned(3), turned(4), turned(5), quantity / 2 + 1]
        }
    }
}

/// Return the number of dice that count for a bet on `face` (BL-11, 12).
pub fn count_matching(face: u8, cups: &[Dice]) -> u8 {
    let stars = |dice: &Dice| if face == STAR { 0 } else { dice.count(STAR) };
    cups.iter().map(|dice| dice.count(face) + stars(dice)).sum()
}
