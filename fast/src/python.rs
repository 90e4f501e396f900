//! The values of the rules as Python objects.

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::bets::{Bet, Choice, TABLE_CAP};
use crate::dice::{Dice, FACES};
use crate::record::{Record, Step};

/// What makes Python's values.
pub struct Values {
    /// The faces, ascending.
    pub faces: [Py<PyAny>; FACES],
    /// Makes a bet of a quantity, a face and the dice laid out.
    pub bet: Py<PyAny>,
    /// The doubt.
    pub doubt: Py<PyAny>,
    /// Makes the roll of a round of the dice by seat.
    pub cup_roll: Py<PyAny>,
    /// Makes a starting roll of the dice by seat.
    pub starting_roll: Py<PyAny>,
    /// Makes a draw of the opener of a seat.
    pub opener_draw: Py<PyAny>,
    /// Makes a re-roll of dice.
    pub reroll: Py<PyAny>,
    /// Makes a step of a tuple of its members.
    pub step: Py<PyAny>,
    /// The dealer as an actor.
    pub dealer: Py<PyAny>,
    /// The bets without dice laid out that were made so far, by quantity and face.
    pub plain_bets: PlainBets,
}

/// Shared bets by quantity and face.
pub type PlainBets = [[Option<Py<PyAny>>; FACES]; TABLE_CAP as usize];

impl Values {
    /// Return a choice.
    pub fn choice(&mut self, py: Python<'_>, choice: Choice) -> PyResult<Py<PyAny>> {
        match choice {
            Choice::Doubt => Ok(self.doubt.clone_ref(py)),
            Choice::Bet(bet) if !bet.show.is_empty() => self.make_bet(py, bet),
            Choice::Bet(bet) => {
                let (quantity, face) = (usize::from(bet.quantity), usize::from(bet.face));
                if let Some(made) = &self.plain_bets[quantity - 1][face - 1] {
                    return Ok(made.clone_ref(py));
                }
                let made = self.make_bet(py, bet)?;
                self.plain_bets[quantity - 1][face - 1] = Some(made.clone_ref(py));
                Ok(made)
            }
        }
    }

    /// Return all steps of a record of so many seats.
    pub fn steps<'py>(
        &mut self,
        py: Python<'py>,
        record: &Record,
        seats: usize,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let mut dice = &record.dice[..];
        let mut rolled = |count: usize| {
            let (taken, rest) = dice.split_at(count);
            dice = rest;
            taken
        };
        let mut steps = Vec::with_capacity(record.steps.len());
        for &step in &record.steps {
            let dealt = match step {
                Step::Answer { seat, choice, milliseconds } => {
                    let action = self.choice(py, choice)?;
                    let members = (seat, action, milliseconds, py.None(), false);
                    steps.push(self.step.call1(py, (members,))?);
                    continue;
                }
                Step::StartingRoll => {
                    self.starting_roll.call1(py, (self.cups(py, rolled(seats))?,))?
                }
                Step::CupRoll => self.cup_roll.call1(py, (self.cups(py, rolled(seats))?,))?,
                Step::Reroll => self.reroll.call1(py, (self.dice(py, rolled(1)[0])?,))?,
                Step::OpenerDraw(seat) => self.opener_draw.call1(py, (seat,))?,
            };
            let members = (self.dealer.clone_ref(py), dealt, 0, py.None(), false);
            steps.push(self.step.call1(py, (members,))?);
        }
        PyTuple::new(py, steps)
    }

    /// Let Python's garbage collector see everything that is held.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let makers = [
            &self.bet,
            &self.doubt,
            &self.cup_roll,
            &self.starting_roll,
            &self.opener_draw,
            &self.reroll,
            &self.step,
            &self.dealer,
        ];
        let bets = self.plain_bets.iter().flatten().flatten();
        makers.into_iter().chain(&self.faces).chain(bets).try_for_each(|value| visit.call(value))
    }

    fn make_bet(&self, py: Python<'_>, bet: Bet) -> PyResult<Py<PyAny>> {
        let face = self.faces[usize::from(bet.face) - 1].clone_ref(py);
        self.bet.call1(py, (bet.quantity, face, self.dice(py, bet.show)?))
    }

    fn dice<'py>(&self, py: Python<'py>, dice: Dice) -> PyResult<Bound<'py, PyTuple>> {
        let faces = dice.faces().map(|face| &self.faces[usize::from(face) - 1]);
        PyTuple::new(py, faces.collect::<Vec<_>>())
    }

    fn cups<'py>(&self, py: Python<'py>, cups: &[Dice]) -> PyResult<Bound<'py, PyTuple>> {
        let cups = cups.iter().map(|&dice| self.dice(py, dice));
        PyTuple::new(py, cups.collect::<PyResult<Vec<_>>>()?)
    }
}
