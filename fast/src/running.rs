//! One running match: its table, its draws, its record and its open turn.

use crate::bets::Choice;
use crate::dice::Dice;
use crate::randomness::Randomness;
use crate::record::Record;
use crate::rules::{BySeat, Options, Table, TimeControl};
use crate::writing::{self, Turn};

/// A match whose seats have answered every turn in time and by the rules.
pub struct RunningMatch {
    /// The table.
    pub table: Table,
    /// The record.
    pub record: Record,
    /// How many events each seat was sent with its turns.
    pub seen: BySeat<usize>,
    /// The number of the open turn, from 1.
    pub turn_number: u32,
    /// When the open turn was put, in seconds.
    pub asked_at: f64,
    time: TimeControl,
    randomness: Randomness,
}

impl RunningMatch {
    /// Begin a match and roll up to its first turn.
    pub fn begin(
        options: Options,
        seats: u8,
        match_key: &[u8; 32],
        time: TimeControl,
        now: f64,
    ) -> Self {
        let mut begun = Self {
            table: Table::new(options, seats),
            record: Record::default(),
            seen: BySeat::default(),
            turn_number: 0,
            asked_at: now,
            time,
            randomness: Randomness::new(match_key),
        };
        if options.starting_rolls {
            begun.table.opener = begun.draw_opener();
        }
        begun.roll_cups();
        begun
    }

    /// Whether the open turn has taken no more than the limit.
    pub fn in_time(&self, now: f64) -> bool {
        let milliseconds = ((now - self.asked_at) * 1000.0).trunc();
        (0.0..=f64::from(self.time.turn_ms)).contains(&milliseconds)
    }

    /// How long the open turn has taken.
    pub fn elapsed_ms(&self, now: f64) -> u32 {
        ((now - self.asked_at) * 1000.0) as u32
    }

    /// Play an allowed choice of the seat on turn, and the draws that follow.
    pub fn play(&mut self, choice: Choice, milliseconds: u32) {
        match choice {
            Choice::Bet(bet) => {
                self.record.bet(self.table.turn, bet, milliseconds);
                self.table.bet(bet);
                if !bet.show.is_empty() {
                    self.roll_again();
                }
                self.table.pass();
            }
            Choice::Doubt => {
                if let Some(end) = self.table.doubt() {
                    self.record.doubt(&end, self.table.seats.into(), milliseconds);
                    if !self.table.over() {
                        self.roll_cups();
                    }
                }
            }
        }
    }

    /// Put the turn of the seat on turn and write it.
    pub fn put_turn(&mut self, match_id: &str, now: f64, out: &mut Vec<u8>) {
        let seen = &mut self.seen[usize::from(self.table.turn)];
        self.turn_number += 1;
        self.asked_at = now;
        let turn = Turn {
            match_id,
            number: self.turn_number,
            time: self.time,
            bets: self.record.bets(),
            news: self.record.news(*seen),
        };
        writing::turn(out, &turn, &self.table);
        *seen = self.record.event_count();
    }

    /// Roll for the right to open (BL-4), and return who does.
    fn draw_opener(&mut self) -> u8 {
        let options = self.table.options;
        let mut tied: Vec<u8> = (0..self.table.seats).collect();
        for attempt in 1..=u32::from(options.start_rerolls) + 1 {
            let mut dice = BySeat::<Dice>::default();
            for &seat in &tied {
                let prefix = format_args!("start {attempt} seat {seat}");
                dice[usize::from(seat)] = self.randomness.roll(prefix, options.dice_per_player);
            }
            let pips = |seat: u8| dice[usize::from(seat)].pips(options.start_star_value);
            let largest = tied.iter().map(|&seat| pips(seat)).max();
            tied.retain(|&seat| Some(pips(seat)) == largest);
            let opener = if let [only] = tied[..] { Some(only) } else { None };
            self.record.starting_roll(&dice[..usize::from(self.table.seats)], opener);
            if let Some(seat) = opener {
                return seat;
            }
        }
        // At most six are tied.
        let drawn = tied[usize::from(self.randomness.below("opener", tied.len() as u8))];
        self.record.opener_draw(drawn);
        drawn
    }

    /// Begin the round with its hidden roll (BL-6).
    fn roll_cups(&mut self) {
        let round = self.table.round;
        let mut dice = BySeat::<Dice>::default();
        for (seat, (cup, &count)) in dice.iter_mut().zip(&self.table.counts).enumerate() {
            *cup = self.randomness.roll(format_args!("round {round} seat {seat}"), count);
        }
        self.table.rolled(dice);
        self.record.cup_roll(&self.table);
    }

    /// Roll the dice again that the seat on turn has kept hidden (BL-X3).
    fn roll_again(&mut self) {
        let (round, seat) = (self.table.round, self.table.turn);
        let number = self.table.rerolls[usize::from(seat)];
        let cup = &mut self.table.hidden[usize::from(seat)];
        let prefix = format_args!("round {round} seat {seat} reroll {number}");
        *cup = self.randomness.roll(prefix, cup.len());
        self.record.reroll(*cup);
    }
}
