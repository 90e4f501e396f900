//! A bot for Bluff, Bluff You! and Blöff: it plays what is likeliest, given what it sees.
//!
//! This is the file to change. connection.rs talks to the referee, dealing.rs checks every match.

use crate::wire::*;

pub const GAMES: [&str; 3] = ["bluff", "bluff_you", "bloeff"];
/// How many matches it plays at once, 1 to 64.
pub const MAX_MATCHES: i32 = 16;

/// Plays one match in one seat: what it keeps belongs to that match.
pub struct Bot {
    seat: i32,
    options: options::Game,
}

impl Bot {
    /// Called for every match; None declines it. At this moment the offer may name nobody but us.
    pub fn new(offer: &Offer) -> Option<Bot> {
        let options = offer.options.as_ref()?.game.clone()?;
        Some(Bot {
            seat: offer.seat,
            options,
        })
    }

    /// Answers a turn. None is a malformed answer: a fault.
    pub fn act(&mut self, turn: &Turn) -> Option<Action> {
        let game = match (turn.view.as_ref()?.game.as_ref()?, &self.options) {
            (view::Game::Bluff(view), _) => action::Game::Bluff(bluff(view)?),
            (view::Game::BluffYou(view), options::Game::BluffYou(options)) => {
                action::Game::BluffYou(self.bluff_you(view, options)?)
            }
            (view::Game::Bloeff(view), options::Game::Bloeff(options)) => {
                action::Game::Bloeff(self.bloeff(view, options)?)
            }
            _ => return None,
        };
        Some(Action { game: Some(game) })
    }
}

// --- Bluff --------------------------------------------------------------------------------------

const STAR: i32 = BluffFace::Star as i32; // counts for whatever face is bet on
const FACES: std::ops::RangeInclusive<i32> = 1..=STAR;
/// It opens with the highest bet that is at least this likely to be right.
const OPENS_AT: f64 = 0.6;

fn bluff(view: &BluffView) -> Option<BluffAction> {
    use bluff_action::Action;
    let action = if view.can_doubt {
        let standing = view.bets.last()?.bet.as_ref()?;
        let doubt = 1.0 - likelihood(view, standing.face, standing.quantity);
        // On each face the lowest bet is the most likely one, so six are enough to look at.
        let mut best: Option<(f64, BluffBet)> = None;
        for (face, &quantity) in FACES.zip(&view.lowest) {
            let chance = likelihood(view, face, quantity);
            if quantity <= view.highest && best.as_ref().is_none_or(|(most, _)| chance > *most) {
                best = Some((chance, bet(quantity, face)));
            }
        }
        match best {
            Some((chance, bet)) if chance > doubt => Action::Bet(bet),
            _ => Action::Doubt(BluffDoubt {}),
        }
    } else {
        Action::Bet(opening(view))
    };
    Some(BluffAction {
        action: Some(action),
    })
}

fn bet(quantity: i32, face: i32) -> BluffBet {
    BluffBet {
        quantity,
        face,
        show: vec![],
    }
}

/// The highest bet that is likely enough; 1 x 1 always is.
fn opening(view: &BluffView) -> BluffBet {
    FACES
        .flat_map(|face| (1..=view.highest).map(move |quantity| bet(quantity, face)))
        .filter(|bet| bet.quantity == 1 || likelihood(view, bet.face, bet.quantity) >= OPENS_AT)
        .max_by_key(field)
        .unwrap_or(bet(1, 1))
}

/// The place on the track: star n lies between the numbers 2n - 1 and 2n.
fn field(bet: &BluffBet) -> i32 {
    if bet.face == STAR {
        4 * bet.quantity - 1
    } else {
        2 * bet.quantity
    }
}

/// The probability that at least `quantity` of all dice match `face`: how many of the dice that this
/// seat cannot see do is binomial.
fn likelihood(view: &BluffView, face: i32, quantity: i32) -> f64 {
    let face_up = view.face_up.iter().flat_map(|dice| &dice.faces);
    let seen: Vec<i32> = view.hidden_dice.iter().chain(face_up).copied().collect();
    let matching = seen
        .iter()
        .filter(|&&die| die == face || die == STAR)
        .count() as i32;
    let unseen = view.dice_counts.iter().sum::<i32>() - seen.len() as i32;
    let p = if face == STAR { 1.0 / 6.0 } else { 1.0 / 3.0 };
    let mut chance = 0.0;
    let mut exactly = f64::powi(1.0 - p, unseen); // the probability of `count` matches
    for count in 0..=unseen {
        if count + matching >= quantity {
            chance += exactly;
        }
        exactly *= f64::from(unseen - count) / f64::from(count + 1) * p / (1.0 - p);
    }
    chance
}

// --- Bluff You! ---------------------------------------------------------------------------------

impl Bot {
    fn bluff_you(&self, view: &BluffYouView, options: &BluffYouOptions) -> Option<BluffYouAction> {
        use bluff_you_action::Action;
        let points = |chip: &i32| options.chip_points[(chip - 3) as usize];
        let action = match view.phase() {
            // No sum of three dice is likelier than one in eight.
            BluffYouPhase::Answer => Action::Answer(BluffYouAnswer { believe: false }),
            BluffYouPhase::Give => {
                let own = &view.chips[self.seat as usize].numbers;
                Action::Give(BluffYouGive {
                    number: *own.iter().min_by_key(|chip| points(chip))?,
                })
            }
            BluffYouPhase::Take => {
                let Some(bluff_you_announcement::Announcement::Steal(steal)) =
                    view.announced.as_ref()?.announcement
                else {
                    return None;
                };
                let theirs = &view.chips[steal.seer as usize].numbers;
                let number = *theirs.iter().rev().max_by_key(|chip| points(chip))?;
                Action::Take(BluffYouTake { number })
            }
            BluffYouPhase::SwapAgain => Action::Stop(BluffYouStop {}),
            _ => self.announce(view, options)?,
        };
        Some(BluffYouAction {
            action: Some(action),
        })
    }

    /// The truth if possible, else a swap if possible, else the likeliest number.
    fn announce(
        &self,
        view: &BluffYouView,
        options: &BluffYouOptions,
    ) -> Option<bluff_you_action::Action> {
        use bluff_you_action::Action;
        let rolled: i32 = view.dice.iter().sum();
        let next = (self.seat + 1) % view.chips.len() as i32;
        if view.win_numbers.contains(&rolled) {
            return Some(Action::Win(BluffYouWin {
                seer: next,
                number: rolled,
            }));
        }
        let owner = view
            .chips
            .iter()
            .position(|chips| chips.numbers.contains(&rolled));
        if let Some(seer) = owner.filter(|&seat| view.can_steal && seat != self.seat as usize) {
            return Some(Action::Steal(BluffYouSteal {
                seer: seer as i32,
                number: rolled,
            }));
        }
        if let Some(&take) = view.swap_targets.first() {
            let own = &view.chips[self.seat as usize].numbers;
            let give = worth(
                own,
                options,
                options.chip_points[(take - 3) as usize],
                options.swap_min_give,
            )?;
            return Some(Action::Swap(BluffYouSwap { give, take }));
        }
        let number = *view
            .win_numbers
            .iter()
            .max_by_key(|number| ways(**number))?;
        Some(Action::Win(BluffYouWin { seer: next, number }))
    }
}

/// `least` or more of the chips that are worth so many points.
fn worth(chips: &[i32], options: &BluffYouOptions, points: i32, least: i32) -> Option<Vec<i32>> {
    if points == 0 && least <= 0 {
        return Some(vec![]);
    }
    chips.iter().enumerate().find_map(|(at, &chip)| {
        let worth_of_chip = options.chip_points[(chip - 3) as usize];
        if worth_of_chip > points {
            return None;
        }
        let mut give = worth(&chips[at + 1..], options, points - worth_of_chip, least - 1)?;
        give.insert(0, chip);
        Some(give)
    })
}

/// How many of the 216 rolls of three dice make a sum.
fn ways(sum: i32) -> usize {
    let pairs = (1..=6).flat_map(|one| (1..=6).map(move |two| one + two));
    pairs.filter(|pair| (1..=6).contains(&(sum - pair))).count()
}

// --- Blöff --------------------------------------------------------------------------------------

const LAST_NUMBER: i32 = BloeffCard::Four as i32; // the number cards come first
const REVERSE: i32 = BloeffCard::Reverse as i32;

impl Bot {
    fn bloeff(&self, view: &BloeffView, options: &BloeffOptions) -> Option<BloeffAction> {
        use bloeff_action::Action;
        let action = match &view.balloted {
            Some(said) => Action::Ballot(BloeffBallot {
                doubt: could_be(view, options, said.total) == 0,
            }),
            None => self.play(view, options)?,
        };
        Some(BloeffAction {
            action: Some(action),
        })
    }

    /// The highest honest card within the limit, else an action card, else the lowest honest card.
    fn play(&self, view: &BloeffView, options: &BloeffOptions) -> Option<bloeff_action::Action> {
        use bloeff_action::Action;
        let call = true; // never a mistake
        let honest: Vec<BloeffNumber> = numbers(&view.hand)
            .map(|card| BloeffNumber {
                card,
                announce: makes(view, options, card),
                call,
            })
            .filter(|number| (view.lowest..=view.highest).contains(&number.announce))
            .collect(); // ascending, as the hand is
        if let Some(safe) = honest.iter().rfind(|number| number.announce <= view.limit) {
            return Some(Action::Number(*safe));
        }
        // A reverse, which comes first, is worth least: it costs nobody a card or a turn.
        match view.hand.iter().copied().find(|&card| card > LAST_NUMBER) {
            Some(card) if card == REVERSE => {
                Some(Action::ActionCard(BloeffActionCard { card, call }))
            }
            Some(card) => {
                let target = (self.seat + 1) % view.hand_sizes.len() as i32;
                Some(Action::Red(BloeffRed { card, target, call }))
            }
            None => {
                let lie = BloeffNumber {
                    card: *view.hand.first()?,
                    announce: view.lowest,
                    call,
                };
                Some(Action::Number(honest.first().copied().unwrap_or(lie)))
            }
        }
    }
}

fn numbers(cards: &[i32]) -> impl Iterator<Item = i32> {
    cards.iter().copied().filter(|&card| card <= LAST_NUMBER)
}

/// The honest total of a number card, whose value is its number on the wire minus 3.
fn makes(view: &BloeffView, options: &BloeffOptions, card: i32) -> i32 {
    let total = view.total + card - 3;
    if options.below_zero_is_bluff {
        total
    } else {
        total.max(0)
    }
}

/// How many cards that this seat has not seen would make the total honest.
fn could_be(view: &BloeffView, options: &BloeffOptions, total: i32) -> i32 {
    let fits = |card: i32| card <= LAST_NUMBER && makes(view, options, card) == total;
    let deck: i32 = options
        .deck
        .iter()
        .filter(|row| fits(row.card))
        .map(|row| row.count)
        .sum();
    let seen = [&view.hand, &view.seen, &view.face_down];
    deck - seen
        .iter()
        .flat_map(|pile| pile.iter())
        .filter(|card| fits(**card))
        .count() as i32
}
