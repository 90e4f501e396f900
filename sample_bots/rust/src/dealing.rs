//! Recomputes every draw of a finished match from the opened secret and the entropies of all seats.
//!
//! It does not judge the seats' actions. docs/transcript.md has the formulas.

use std::collections::VecDeque;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::wire::*;

/// Says what is wrong with the dealing of a match, if anything.
pub fn check(transcript: &Transcript) -> Result<(), String> {
    if Sha256::digest(&transcript.secret)[..] != transcript.commitment[..] {
        return Err("the secret is not the one committed to".into());
    }
    let setup = transcript.setup.as_ref().ok_or("there is no setup")?;
    let seats = setup.entrants.len();
    if transcript.entropies.len() != seats {
        return Err("there is not one entropy for each seat".into());
    }
    let draws = Draws::new(&match_key(
        &transcript.secret,
        &setup.match_id,
        &transcript.entropies,
    ));
    let game = setup
        .options
        .as_ref()
        .and_then(|options| options.game.clone());
    let mut dealer: Box<dyn Dealer> = match game.ok_or("the game is unknown")? {
        options::Game::Bluff(options) => Box::new(Bluff::new(options, seats)),
        options::Game::BluffYou(_) => Box::new(BluffYou { turn: 0 }),
        options::Game::Bloeff(options) => Box::new(Bloeff::new(options, seats)),
        _ => return Err("the game is unknown".into()),
    };
    for (index, step) in transcript.steps.iter().enumerate() {
        let right = match &step.act {
            Some(step::Act::Draw(Draw { game: Some(draw) })) => dealer.drew(draw, &draws),
            Some(step::Act::Action(Action { game: Some(action) })) => {
                (0..seats as i32).contains(&step.seat) && dealer.acted(step.seat as usize, action)
            }
            _ => false,
        };
        if !right {
            return Err(format!(
                "step {} does not follow from the opened secret",
                index + 1
            ));
        }
    }
    Ok(())
}

pub fn match_key(secret: &[u8], match_id: &str, entropies: &[Vec<u8>]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("any length will do");
    let parts = std::iter::once(match_id.as_bytes()).chain(entropies.iter().map(|part| &part[..]));
    for part in parts {
        mac.update(&(part.len() as u32).to_be_bytes());
        mac.update(part);
    }
    mac.finalize().into_bytes().to_vec()
}

/// The draws of a match.
pub struct Draws(Hmac<Sha256>);

impl Draws {
    pub fn new(match_key: &[u8]) -> Draws {
        Draws(Hmac::new_from_slice(match_key).expect("any length will do"))
    }

    /// The number from 0 to `bound` - 1 that is drawn under a key.
    pub fn below(&self, key: &str, bound: usize) -> usize {
        let span = bound as u64;
        let incomplete = span.wrapping_neg() % span; // 2^64 mod bound
        let numbers = (0..).map(|attempt| {
            let mut mac = self.0.clone();
            mac.update(format!("{key}#{attempt}").as_bytes());
            let digest = mac.finalize().into_bytes();
            u64::from_be_bytes(digest[..8].try_into().expect("eight bytes"))
        });
        let accepted = |number: &u64| *number <= u64::MAX - incomplete;
        let number = { numbers }.find(accepted).expect("attempts do not end");
        (number % span) as usize
    }

    pub fn shuffle<T>(&self, key: &str, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(&format!("{key} {last}"), last + 1));
        }
    }
}

/// Follows a match as far as its draws depend on it. Both methods say whether all is right.
trait Dealer {
    fn drew(&mut self, draw: &draw::Game, draws: &Draws) -> bool;
    fn acted(&mut self, seat: usize, action: &action::Game) -> bool;
}

// --- Bluff --------------------------------------------------------------------------------------

struct Bluff {
    options: BluffOptions,
    attempt: usize,
    round: usize,
    tied: Vec<usize>,    // seats with the largest total of the last starting roll
    rerolls: Vec<usize>, // by seat, in this round
    last: usize,         // the seat that acted last
}

impl Bluff {
    fn new(options: BluffOptions, seats: usize) -> Bluff {
        Bluff {
            options,
            attempt: 0,
            round: 0,
            tied: vec![],
            rerolls: vec![0; seats],
            last: 0,
        }
    }

    fn largest(&self, dice: &[BluffDice]) -> Vec<usize> {
        let pips = |&face: &i32| {
            if face == BluffFace::Star as i32 {
                self.options.start_star_value
            } else {
                face
            }
        };
        let totals: Vec<(usize, i32)> = (dice.iter().enumerate())
            .filter(|(_, own)| !own.faces.is_empty())
            .map(|(seat, own)| (seat, own.faces.iter().map(pips).sum()))
            .collect();
        let most = totals.iter().map(|(_, total)| *total).max();
        totals
            .into_iter()
            .filter(|(_, total)| Some(*total) == most)
            .map(|(seat, _)| seat)
            .collect()
    }
}

impl Dealer for Bluff {
    fn drew(&mut self, draw: &draw::Game, draws: &Draws) -> bool {
        let draw::Game::Bluff(BluffDraw { draw: Some(draw) }) = draw else {
            return false;
        };
        match draw {
            bluff_draw::Draw::StartingRoll(roll) => {
                self.attempt += 1;
                self.tied = self.largest(&roll.dice);
                rolled(draws, &format!("start {}", self.attempt), &roll.dice)
            }
            bluff_draw::Draw::OpenerDraw(opener) => {
                !self.tied.is_empty()
                    && self.tied[draws.below("opener", self.tied.len())] as i32 == opener.seat
            }
            bluff_draw::Draw::Roll(roll) => {
                self.round += 1;
                self.rerolls.fill(0);
                rolled(draws, &format!("round {}", self.round), &roll.dice)
            }
            bluff_draw::Draw::Reroll(reroll) => {
                let Some(dice) = &reroll.dice else {
                    return false;
                };
                self.rerolls[self.last] += 1;
                let (seat, number) = (self.last, self.rerolls[self.last]);
                let key = format!("round {} seat {seat} reroll {number}", self.round);
                dice.faces == rolls(draws, &key, dice.faces.len())
            }
        }
    }

    fn acted(&mut self, seat: usize, _: &action::Game) -> bool {
        self.last = seat;
        true
    }
}

fn rolled(draws: &Draws, key: &str, dice: &[BluffDice]) -> bool {
    dice.iter().enumerate().all(|(seat, own)| {
        own.faces == rolls(draws, &format!("{key} seat {seat}"), own.faces.len())
    })
}

fn rolls(draws: &Draws, key: &str, count: usize) -> Vec<i32> {
    let die = |number| draws.below(&format!("{key} die {number}"), 6) as i32 + 1;
    let mut dice: Vec<i32> = (0..count).map(die).collect();
    dice.sort();
    dice
}

// --- Bluff You! ---------------------------------------------------------------------------------

struct BluffYou {
    turn: usize,
}

impl Dealer for BluffYou {
    fn drew(&mut self, draw: &draw::Game, draws: &Draws) -> bool {
        let draw::Game::BluffYou(BluffYouDraw {
            draw: Some(bluff_you_draw::Draw::Roll(roll)),
        }) = draw
        else {
            return false;
        };
        self.turn += 1;
        let die = |number| draws.below(&format!("turn {} die {number}", self.turn), 6) as i32 + 1;
        roll.dice == (0..3).map(die).collect::<Vec<i32>>()
    }

    fn acted(&mut self, _: usize, _: &action::Game) -> bool {
        true
    }
}

// --- Blöff --------------------------------------------------------------------------------------

/// Counts turns, skipped ones included, because the doubter's key names the turn.
struct Bloeff {
    options: BloeffOptions,
    seats: usize,
    waiting: Vec<VecDeque<i32>>, // red cards in front of each seat, oldest first
    clockwise: bool,
    turn: usize,
    round: usize,
    total: i32,
    reshuffles: usize,
    played: Option<(usize, BloeffNumber)>, // the card that is balloted, and its player
    ballots: usize,
    doubters: Vec<usize>,
}

impl Bloeff {
    fn new(options: BloeffOptions, seats: usize) -> Bloeff {
        let first = options.first_seat as usize % seats.max(1);
        let mut dealer = Bloeff {
            options,
            seats,
            waiting: vec![VecDeque::new(); seats],
            clockwise: true,
            turn: 0,
            round: 0,
            total: 0,
            reshuffles: 0,
            played: None,
            ballots: 0,
            doubters: vec![],
        };
        dealer.begin_turn(first);
        dealer
    }

    fn all_voted(&mut self) {
        let Some((player, number)) = self.played else {
            return;
        };
        match self.doubters[..] {
            [] => {
                self.total = number.announce;
                self.begin_turn(self.after(player));
            }
            [doubter] => self.doubted(doubter),
            _ if self.options.doubt_in_turn_order => {
                let mut seat = self.after(player);
                while !self.doubters.contains(&seat) {
                    seat = self.after(seat);
                }
                self.doubted(seat);
            }
            _ => {} // the dealer draws one of them
        }
    }

    fn doubted(&mut self, doubter: usize) {
        let Some((player, number)) = self.played else {
            return;
        };
        let mut honest = self.total + number.card - 3;
        if !self.options.below_zero_is_bluff {
            honest = honest.max(0);
        }
        self.begin_round(if number.announce == honest {
            player
        } else {
            doubter
        });
    }

    fn begin_round(&mut self, seat: usize) {
        self.round += 1;
        self.total = 0;
        self.begin_turn(seat);
    }

    fn begin_turn(&mut self, seat: usize) {
        self.turn += 1;
        self.played = None;
        while let Some(card) = self.waiting[seat].pop_front() {
            if card == BloeffCard::Skip as i32 || self.options.draw2_ends_turn {
                return self.begin_turn(self.after(seat));
            }
        }
    }

    fn after(&self, seat: usize) -> usize {
        (seat + if self.clockwise { 1 } else { self.seats - 1 }) % self.seats
    }
}

impl Dealer for Bloeff {
    fn drew(&mut self, draw: &draw::Game, draws: &Draws) -> bool {
        let draw::Game::Bloeff(BloeffDraw { draw: Some(draw) }) = draw else {
            return false;
        };
        match draw {
            bloeff_draw::Draw::Deal(deal) => {
                let rows = self.options.deck.iter();
                let deck = rows
                    .flat_map(|row| vec![row.card; row.count as usize])
                    .collect();
                shuffled(draws, "deal", deck) == deal.cards
            }
            bloeff_draw::Draw::Reshuffle(reshuffle) => {
                self.reshuffles += 1;
                let key = format!("recycle {}", self.reshuffles);
                shuffled(draws, &key, reshuffle.cards.clone()) == reshuffle.cards
            }
            bloeff_draw::Draw::Doubter(drawn) => {
                if self.played.is_none() || self.doubters.len() < 2 {
                    return false;
                }
                let key = format!("doubter {}", self.turn);
                let doubter = self.doubters[draws.below(&key, self.doubters.len())];
                self.doubted(doubter);
                drawn.seat == doubter as i32
            }
        }
    }

    fn acted(&mut self, seat: usize, action: &action::Game) -> bool {
        let action::Game::Bloeff(BloeffAction {
            action: Some(action),
        }) = action
        else {
            return false;
        };
        match action {
            bloeff_action::Action::Number(number) => {
                let Some(&limit) = self.options.limits.get(self.round) else {
                    return false;
                };
                if number.announce > limit {
                    self.begin_round(seat);
                } else {
                    self.played = Some((seat, *number));
                    self.ballots = 0;
                    self.doubters.clear();
                }
            }
            bloeff_action::Action::Red(red) => {
                let Some(waiting) = self.waiting.get_mut(red.target as usize) else {
                    return false;
                };
                waiting.push_back(red.card);
                self.begin_turn(self.after(seat));
            }
            bloeff_action::Action::ActionCard(_) => {
                self.clockwise = !self.clockwise;
                self.begin_turn(self.after(seat));
            }
            bloeff_action::Action::Ballot(ballot) => {
                self.ballots += 1;
                if ballot.doubt {
                    self.doubters.push(seat);
                }
                if self.ballots == self.seats - 1 {
                    self.all_voted();
                }
            }
        }
        true
    }
}

/// The cards, in ascending order at first, in the drawn order.
fn shuffled(draws: &Draws, key: &str, mut cards: Vec<i32>) -> Vec<i32> {
    cards.sort();
    draws.shuffle(key, &mut cards);
    cards
}
