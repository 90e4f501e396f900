//! The rules of Bluff; rule numbers (BL-...) are those of docs/games/bluff.md.

use crate::bets::{Bet, Choice, TABLE_CAP, count_matching, lowest_raises};
use crate::dice::{Dice, FACES};

/// The most seats of a table.
pub const MOST_SEATS: usize = 6;
/// The most dice of a seat.
pub const MOST_DICE: u8 = 16;

/// The options that play needs, in the order of `compiled_options` (arena/games/bluff/compiled.py).
#[derive(Clone, Copy)]
pub struct Options {
    /// Dice each seat starts with, 1 to `MOST_DICE`.
    pub dice_per_player: u8,
    /// Whether the largest starting roll opens, not seat 0.
    pub starting_rolls: bool,
    /// Pips of a star in a starting roll.
    pub start_star_value: u8,
    /// Starting rolls after a tie, before the opener is drawn.
    pub start_rerolls: u8,
    /// Whether bets may exceed the dice in play.
    pub table_cap: bool,
    /// Whether dice may be laid out with a bet.
    pub show_and_reroll: bool,
}

/// The time control of a match, in milliseconds.
#[derive(Clone, Copy)]
pub struct TimeControl {
    /// The limit per turn.
    pub turn_ms: u32,
    /// The bank of each seat, which is never touched here.
    pub bank_ms: u32,
}

/// A number or some dice by seat; what is beyond the table's seats is empty.
pub type BySeat<T> = [T; MOST_SEATS];

/// The state of a match while a seat bets or doubts, or when it is over.
pub struct Table {
    /// The options.
    pub options: Options,
    /// The number of seats, 2 to `MOST_SEATS`.
    pub seats: u8,
    /// The number of the round, from 1.
    pub round: u8,
    /// The seat that opens this round.
    pub opener: u8,
    /// The seat that bets or doubts.
    pub turn: u8,
    /// Dice under the cups.
    pub hidden: BySeat<Dice>,
    /// Dice laid out in this round.
    pub face_up: BySeat<Dice>,
    /// Dice left.
    pub counts: BySeat<u8>,
    /// The round in which each seat lost its last die; 0 while it is in play.
    out_in: BySeat<u8>,
    /// The last bet of this round and its seat.
    standing: Option<(u8, Bet)>,
    /// How often each seat has rolled again in this round.
    pub rerolls: BySeat<u8>,
}

/// The outcome of a doubt.
pub struct Settlement {
    /// The seat that doubted.
    pub doubter: u8,
    /// The seat whose bet was doubted.
    pub bettor: u8,
    /// The bet that was doubted.
    pub bet: Bet,
    /// All dice.
    pub dice: BySeat<Dice>,
    /// How many dice match the bet.
    pub actual: u8,
    /// Dice lost.
    pub losses: BySeat<u8>,
    /// The seat that opens the next round.
    pub next_opener: u8,
}

impl Table {
    /// Return a table before its first roll.
    pub fn new(options: Options, seats: u8) -> Self {
        let mut counts = BySeat::default();
        counts[..usize::from(seats)].fill(options.dice_per_player);
        Self {
            options,
            seats,
            round: 1,
            opener: 0,
            turn: 0,
            hidden: BySeat::default(),
            face_up: BySeat::default(),
            counts,
            out_in: BySeat::default(),
            standing: None,
            rerolls: BySeat::default(),
        }
    }

    /// Whether one seat at most has dice left.
    pub fn over(&self) -> bool {
        self.counts.iter().filter(|&&count| count > 0).count() <= 1
    }

    /// The dice of all seats.
    pub fn in_play(&self) -> u8 {
        self.counts.iter().sum()
    }

    /// The dice lost so far.
    pub fn graveyard(&self) -> u8 {
        self.seats * self.options.dice_per_player - self.in_play()
    }

    /// Whether a bet stands.
    pub fn can_doubt(&self) -> bool {
        self.standing.is_some()
    }

    /// The lowest quantity that may be bet, by face.
    pub fn lowest(&self) -> [u8; FACES] {
        lowest_raises(self.standing.map(|(_, bet)| bet))
    }

    /// The highest quantity that may be bet.
    pub fn highest(&self) -> u8 {
        if self.options.table_cap { TABLE_CAP } else { self.in_play() }
    }

    /// Whether the seat on turn may choose this.
    pub fn allows(&self, choice: Choice) -> bool {
        let Choice::Bet(bet) = choice else {
            return self.can_doubt();
        };
        let lowest = self.lowest()[usize::from(bet.face) - 1];
        (lowest..=self.highest()).contains(&bet.quantity)
            && (bet.show.is_empty() || self.allows_lay_out(bet.show))
    }

    /// Whether the seat on turn may lay out these dice: at least one stays hidden (BL-X2).
    fn allows_lay_out(&self, show: Dice) -> bool {
        let left = self.hidden[usize::from(self.turn)].without(show);
        self.options.show_and_reroll && left.is_some_and(|left| !left.is_empty())
    }

    /// Begin a round with these dice; its opener is on turn.
    pub fn rolled(&mut self, dice: BySeat<Dice>) {
        self.hidden = dice;
        self.turn = self.opener;
    }

    /// Place an allowed bet of the seat on turn. Its dice that stay hidden are to be rolled again
    /// if it lays out others; then `pass` ends its turn.
    pub fn bet(&mut self, bet: Bet) {
        self.standing = Some((self.turn, bet));
        if !bet.show.is_empty() {
            let seat = usize::from(self.turn);
            self.hidden[seat] = self.hidden[seat].without(bet.show).unwrap_or_default();
            self.face_up[seat] = self.face_up[seat].with(bet.show);
            self.rerolls[seat] += 1;
        }
    }

    /// Give the turn to the next seat clockwise that has dice (BL-9).
    pub fn pass(&mut self) {
        loop {
            self.turn = (self.turn + 1) % self.seats;
            if self.counts[usize::from(self.turn)] > 0 {
                return;
            }
        }
    }

    /// Settle the doubt of the seat on turn (BL-19 to 26); None if no bet stands.
    pub fn doubt(&mut self) -> Option<Settlement> {
        let (bettor, bet) = self.standing.take()?;
        let mut dice = self.hidden;
        for (hidden, face_up) in dice.iter_mut().zip(self.face_up) {
            *hidden = hidden.with(face_up);
        }
        let actual = count_matching(bet.face, &dice);
        let end = Settlement {
            doubter: self.turn,
            bettor,
            bet,
            dice,
            actual,
            losses: self.losses(bettor, actual, bet.quantity),
            next_opener: if actual >= bet.quantity { bettor } else { self.turn },
        };
        for seat in 0..usize::from(self.seats) {
            self.counts[seat] -= end.losses[seat];
            if self.counts[seat] == 0 && self.out_in[seat] == 0 {
                self.out_in[seat] = self.round;
            }
        }
        self.hidden = BySeat::default();
        self.face_up = BySeat::default();
        self.rerolls = BySeat::default();
        self.opener = end.next_opener;
        if !self.over() {
            self.round += 1;
        }
        Some(end)
    }

    /// Return the dice lost by seat (BL-20 to 23).
    fn losses(&self, bettor: u8, actual: u8, quantity: u8) -> BySeat<u8> {
        if actual == quantity {
            let mut losses = self.counts.map(|count| count.min(1));
            losses[usize::from(bettor)] = 0;
            return losses;
        }
        let loser = usize::from(if actual > quantity { self.turn } else { bettor });
        let mut losses = BySeat::default();
        losses[loser] = self.counts[loser].min(actual.abs_diff(quantity));
        losses
    }

    /// Return the ranks by seat: the winner first, then by the round of going out, later is better.
    pub fn placing(&self) -> Vec<usize> {
        let lasted = |seat: usize| match self.out_in[seat] {
            0 => self.round + 1,
            round => round,
        };
        let seats = 0..usize::from(self.seats);
        let better = |seat| seats.clone().filter(|&other| lasted(other) > lasted(seat)).count();
        seats.clone().map(|seat| 1 + better(seat)).collect()
    }
}
