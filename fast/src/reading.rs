//! Answers of bots, which are untrusted: read strictly, and left to Python where anything is odd.

use crate::bets::{Bet, Choice, TABLE_CAP};
use crate::dice::{Dice, STAR};
use crate::rules::MOST_DICE;

/// The field of a `PlayRequest` that holds an answer.
pub const ANSWERS: u32 = 4;

/// The bytes are none that Protobuf would write, though it may read them.
pub struct Odd;

/// A field of a message.
pub struct Field<'a> {
    /// Its number.
    pub number: u32,
    /// What it holds.
    pub value: Value<'a>,
    /// Its bytes, the key included.
    pub whole: &'a [u8],
}

/// What a field holds.
pub enum Value<'a> {
    /// A number.
    Number(u64),
    /// A message, a text or several numbers.
    Bytes(&'a [u8]),
    /// Four or eight bytes, which no message of play has.
    Fixed,
}

/// The fields of a message in order; nothing follows one that is `Odd`.
pub struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    /// Return the fields of a message's bytes.
    pub fn of(message: &'a [u8]) -> Self {
        Self(message)
    }

    fn next_field(&mut self) -> Result<Field<'a>, Odd> {
        let before = self.0;
        let key = u32::try_from(self.varint()?).map_err(|_| Odd)?;
        let value = match key & 7 {
            0 => Value::Number(self.varint()?),
            1 => self.take(8).map(|_| Value::Fixed)?,
            2 => {
                let length = self.varint()?;
                Value::Bytes(self.take(usize::try_from(length).map_err(|_| Odd)?)?)
            }
            5 => self.take(4).map(|_| Value::Fixed)?,
            _ => return Err(Odd),
        };
        let number = key >> 3;
        let whole = &before[..before.len() - self.0.len()];
        if number == 0 { Err(Odd) } else { Ok(Field { number, value, whole }) }
    }

    fn varint(&mut self) -> Result<u64, Odd> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first().ok_or(Odd)?;
            self.0 = rest;
            let group = u64::from(byte & 0x7F);
            // Bits beyond the 64th, and zeros that say nothing.
            if group << shift >> shift != group || (byte == 0 && shift > 0) {
                return Err(Odd);
            }
            number |= group << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Odd)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Odd> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Odd)?;
        self.0 = rest;
        Ok(taken)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, Odd>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.next_field();
        if field.is_err() {
            self.0 = &[];
        }
        Some(field)
    }
}

/// The parts of an `Answer` by which it is known, and its choice.
#[derive(Default)]
pub struct Answer<'a> {
    /// The id of the match.
    pub match_id: &'a [u8],
    /// The number of the turn.
    pub turn_number: u32,
    /// The choice; None if there is none of Bluff, or anything that is odd, such as a note.
    pub choice: Option<Choice>,
}

/// Return an answer; of members that it holds twice the last counts, as with Protobuf.
pub fn answer(message: &[u8]) -> Result<Answer<'_>, Odd> {
    let mut answer = Answer::default();
    let mut met = Met::default();
    let mut plain = true;
    for field in Fields::of(message) {
        let field = field?;
        plain &= met.first(field.number);
        match (field.number, field.value) {
            (1, Value::Bytes(match_id)) => answer.match_id = match_id,
            (2, Value::Number(number)) => {
                answer.turn_number = number as u32;
                plain &= u64::from(answer.turn_number) == number;
            }
            (3, Value::Bytes(action)) => answer.choice = choice(action),
            _ => plain = false,
        }
    }
    answer.choice = answer.choice.filter(|_| plain);
    Ok(answer)
}

/// Return the choice in an `Action` of Bluff; None if it holds none or anything else.
fn choice(action: &[u8]) -> Option<Choice> {
    let bluff = only(action)?;
    if bluff.number != 1 {
        return None;
    }
    let Value::Bytes(bluff) = bluff.value else {
        return None;
    };
    let chosen = only(bluff)?;
    match (chosen.number, chosen.value) {
        (1, Value::Bytes(members)) => bet(members).map(Choice::Bet),
        (2, Value::Bytes([])) => Some(Choice::Doubt),
        _ => None,
    }
}

fn bet(members: &[u8]) -> Option<Bet> {
    let mut bet = Bet { quantity: 0, face: 0, show: Dice::default() };
    let mut met = Met::default();
    for field in Fields::of(members) {
        let field = field.ok()?;
        if !met.first(field.number) {
            return None;
        }
        match (field.number, field.value) {
            (1, Value::Number(quantity)) => bet.quantity = u8::try_from(quantity).ok()?,
            (2, Value::Number(face)) => bet.face = u8::try_from(face).ok()?,
            (3, Value::Bytes(faces)) => bet.show = dice(faces)?,
            _ => return None,
        }
    }
    let possible = (1..=TABLE_CAP).contains(&bet.quantity) && (1..=STAR).contains(&bet.face);
    possible.then_some(bet)
}

/// Return the dice of a packed field, each a number of one byte.
fn dice(faces: &[u8]) -> Option<Dice> {
    let mut dice = Dice::default();
    if faces.len() > usize::from(MOST_DICE) {
        return None;
    }
    for &face in faces {
        if !(1..=STAR).contains(&face) {
            return None;
        }
        dice.add(face);
    }
    Some(dice)
}

/// Return the only field of a message.
fn only(message: &[u8]) -> Option<Field<'_>> {
    let mut fields = Fields::of(message);
    let first = fields.next()?.ok()?;
    fields.next().is_none().then_some(first)
}

/// The numbers of the fields that a message had so far.
#[derive(Default)]
struct Met(u32);

impl Met {
    /// Whether a field is the first of its number; none above 31 is known.
    fn first(&mut self, number: u32) -> bool {
        let bit = 1_u32.checked_shl(number).unwrap_or(0);
        let first = bit & !self.0 != 0;
        self.0 |= bit;
        first
    }
}
