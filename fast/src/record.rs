//! What has happened in a match: its steps in little memory, and its public events as bytes.

use crate::bets::{Bet, Choice};
use crate::dice::Dice;
use crate::rules::{Settlement, Table};
use crate::writing;

/// A step of a match; its dice follow those of the steps before in `Record::dice`.
#[derive(Clone, Copy)]
pub enum Step {
    /// An answer of a seat.
    Answer {
        /// The seat.
        seat: u8,
        /// What it chose.
        choice: Choice,
        /// How long it took.
        milliseconds: u32,
    },
    /// An open roll for the right to open: dice of all seats.
    StartingRoll,
    /// The opener, drawn.
    OpenerDraw(u8),
    /// The roll of a round: dice of all seats.
    CupRoll,
    /// New dice of one seat.
    Reroll,
}

/// The record of a match.
#[derive(Default)]
pub struct Record {
    /// The steps in order.
    pub steps: Vec<Step>,
    /// The dice of all rolls in order.
    pub dice: Vec<Dice>,
    /// The public events as they are encoded in a turn, one after the other.
    events: Vec<u8>,
    /// Where each event ends in `events`.
    ends: Vec<u32>,
    /// The bets of this round as they are encoded in a view, one after the other.
    bets: Vec<u8>,
}

impl Record {
    /// The number of public events.
    pub fn event_count(&self) -> usize {
        self.ends.len()
    }

    /// The bytes of the events after the first `seen`.
    pub fn news(&self, seen: usize) -> &[u8] {
        &self.events[self.start(seen)..]
    }

    /// Each event's bytes.
    pub fn events(&self) -> impl Iterator<Item = &[u8]> {
        self.ends
            .iter()
            .enumerate()
            .map(|(index, &end)| &self.events[self.start(index)..end as usize])
    }

    /// The bytes of this round's bets in a view.
    pub fn bets(&self) -> &[u8] {
        &self.bets
    }

    /// Record a bet of a seat.
    pub fn bet(&mut self, seat: u8, bet: Bet, milliseconds: u32) {
        let choice = Choice::Bet(bet);
        self.steps.push(Step::Answer { seat, choice, milliseconds });
        self.event(3, |out| writing::placed_bet(out, seat, bet));
        writing::field(&mut self.bets, 7, |out| writing::placed_bet(out, seat, bet));
    }

    /// Record a doubt, which ends the round.
    pub fn doubt(&mut self, end: &Settlement, seats: usize, milliseconds: u32) {
        let (seat, choice) = (end.doubter, Choice::Doubt);
        self.steps.push(Step::Answer { seat, choice, milliseconds });
        self.event(4, |out| writing::showdown(out, end, seats));
        self.bets.clear();
    }

    /// Record a starting roll and the opener, if it is known now.
    pub fn starting_roll(&mut self, dice: &[Dice], opener: Option<u8>) {
        self.steps.push(Step::StartingRoll);
        self.dice.extend_from_slice(dice);
        self.event(1, |out| writing::starting_rolled(out, dice, opener));
    }

    /// Record that the opener was drawn; nobody is told.
    pub fn opener_draw(&mut self, seat: u8) {
        self.steps.push(Step::OpenerDraw(seat));
    }

    /// Record the roll of the table's round.
    pub fn cup_roll(&mut self, table: &Table) {
        self.steps.push(Step::CupRoll);
        self.dice.extend_from_slice(&table.hidden[..usize::from(table.seats)]);
        self.event(2, |out| writing::round_started(out, table));
    }

    /// Record a re-roll; nobody is told.
    pub fn reroll(&mut self, dice: Dice) {
        self.steps.push(Step::Reroll);
        self.dice.push(dice);
    }

    fn start(&self, event: usize) -> usize {
        event.checked_sub(1).map_or(0, |before| self.ends[before] as usize)
    }

    fn event(&mut self, kind: u8, content: impl FnOnce(&mut Vec<u8>)) {
        writing::event(&mut self.events, kind, content);
        self.ends.push(self.events.len() as u32);
    }
}
