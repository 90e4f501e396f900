//! Protobuf's wire format: the parts of it that turns and events need.
//!
//! Source: <https://protobuf.dev/programming-guides/encoding>

use crate::bets::Bet;
use crate::dice::Dice;
use crate::rules::{Settlement, Table, TimeControl};

/// Return the key of a field that holds a number.
const fn number_key(field: u8) -> u8 {
    field << 3
}

/// Return the key of a field that holds a message, a text or several numbers.
const fn key(field: u8) -> u8 {
    field << 3 | 2
}

fn varint(out: &mut Vec<u8>, mut number: u32) {
    while number > 0x7F {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Write a number; 0 is left out, as proto3 does.
fn number(out: &mut Vec<u8>, field: u8, value: u32) {
    if value != 0 {
        out.push(number_key(field));
        varint(out, value);
    }
}

/// Write a field of which `content` writes the content.
pub fn field(out: &mut Vec<u8>, field: u8, content: impl FnOnce(&mut Vec<u8>)) {
    out.push(key(field));
    out.push(0);
    let start = out.len();
    content(out);
    let length = out.len() - start;
    if length < 0x80 {
        out[start - 1] = length as u8;
    } else {
        // Most fields are short: the length of a long one is put in where one byte was kept for it.
        let mut written = Vec::with_capacity(5);
        varint(&mut written, length as u32);
        out.splice(start - 1..start, written);
    }
}

fn numbers(out: &mut Vec<u8>, number: u8, values: impl IntoIterator<Item = u8>) {
    field(out, number, |out| values.into_iter().for_each(|value| varint(out, value.into())));
}

/// Write several faces; none are left out.
fn faces(out: &mut Vec<u8>, field: u8, dice: Dice) {
    if !dice.is_empty() {
        numbers(out, field, dice.faces());
    }
}

/// Write a `BluffDice` for each cup.
fn cups(out: &mut Vec<u8>, number: u8, dice: &[Dice]) {
    for &cup in dice {
        field(out, number, |out| faces(out, 1, cup));
    }
}

/// Write the members of a `BluffBet`.
fn bet(out: &mut Vec<u8>, bet: Bet) {
    number(out, 1, bet.quantity.into());
    number(out, 2, bet.face.into());
    faces(out, 3, bet.show);
}

/// Write the members of a `BluffPlacedBet`.
pub fn placed_bet(out: &mut Vec<u8>, seat: u8, placed: Bet) {
    number(out, 1, seat.into());
    field(out, 2, |out| bet(out, placed));
}

/// Write one of the `events` of a Turn, a `BluffEvent` of which `content` writes the member `kind`.
pub fn event(out: &mut Vec<u8>, kind: u8, content: impl FnOnce(&mut Vec<u8>)) {
    field(out, 4, |out| field(out, 1, |out| field(out, kind, content)));
}

/// Write the members of a `BluffStartingRolled`.
pub fn starting_rolled(out: &mut Vec<u8>, dice: &[Dice], opener: Option<u8>) {
    cups(out, 1, dice);
    if let Some(seat) = opener {
        out.push(number_key(2));
        out.push(seat);
    }
}

/// Write the members of a `BluffRoundStarted`.
pub fn round_started(out: &mut Vec<u8>, table: &Table) {
    number(out, 1, table.round.into());
    number(out, 2, table.opener.into());
    numbers(out, 3, table.counts[..usize::from(table.seats)].iter().copied());
}

/// Write the members of a `BluffShowdown`.
pub fn showdown(out: &mut Vec<u8>, end: &Settlement, seats: usize) {
    number(out, 1, end.doubter.into());
    number(out, 2, end.bettor.into());
    field(out, 3, |out| bet(out, end.bet));
    cups(out, 4, &end.dice[..seats]);
    number(out, 5, end.actual.into());
    numbers(out, 6, end.losses[..seats].iter().copied());
    number(out, 7, end.next_opener.into());
}

/// What a turn holds besides the table.
pub struct Turn<'a> {
    /// The match's id.
    pub match_id: &'a str,
    /// The number of the turn, from 1.
    pub number: u32,
    /// The time that is left, as none was overspent.
    pub time: TimeControl,
    /// The round's bets as they are encoded in a view.
    pub bets: &'a [u8],
    /// The events since the seat's last turn, as they are encoded in a turn.
    pub news: &'a [u8],
}

/// Write the turn of the seat on turn as one of the `turns` of a `PlayResponse`.
pub fn turn(out: &mut Vec<u8>, turn: &Turn<'_>, table: &Table) {
    field(out, 5, |out| {
        if !turn.match_id.is_empty() {
            field(out, 1, |out| out.extend_from_slice(turn.match_id.as_bytes()));
        }
        number(out, 2, turn.number);
        number(out, 5, turn.time.turn_ms);
        number(out, 6, turn.time.bank_ms);
        field(out, 3, |out| field(out, 1, |out| view(out, table, turn.bets)));
        out.extend_from_slice(turn.news);
    });
}

/// Write the members of the `BluffView` of the seat on turn.
fn view(out: &mut Vec<u8>, table: &Table, bets: &[u8]) {
    let seats = usize::from(table.seats);
    number(out, 1, table.round.into());
    number(out, 2, table.opener.into());
    faces(out, 3, table.hidden[usize::from(table.turn)]);
    numbers(out, 5, table.counts[..seats].iter().copied());
    number(out, 6, table.graveyard().into());
    if table.face_up.iter().any(|dice| !dice.is_empty()) {
        cups(out, 4, &table.face_up[..seats]);
    }
    out.extend_from_slice(bets);
    numbers(out, 8, table.lowest());
    number(out, 9, table.highest().into());
    number(out, 10, table.can_doubt().into());
}
