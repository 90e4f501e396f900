//! `Matches`: what Python sees of the running matches.

use std::collections::HashMap;

use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

use crate::bets::Choice;
use crate::dice::FACES;
use crate::python::Values;
use crate::reading::{ANSWERS, Answer, Fields, Odd, Value, answer};
use crate::rules::{BySeat, MOST_DICE, MOST_SEATS, Options, TimeControl};
use crate::running::RunningMatch;

/// The running matches of Bluff of one referee.
#[pyclass(module = "bluff_arena_fast")]
pub struct Matches {
    values: Values,
    numbers: HashMap<Box<[u8]>, u64>,
    held: HashMap<u64, Box<Held>>,
    begun: u64,
    /// How many messages were split.
    messages: u64,
    /// Memory for a turn that is written.
    turn: Vec<u8>,
}

/// A match that is held.
struct Held {
    owner: Py<PyAny>,
    match_id: Box<str>,
    /// Which bot's stream answers for each seat.
    lines: BySeat<i64>,
    /// The last message that held an answer to this match.
    answered_in: u64,
    running: RunningMatch,
}

/// Answers that can be played here, of one message.
#[pyclass(frozen, module = "bluff_arena_fast")]
pub struct Taken(Vec<Due>);

/// An answer to the open turn of a match.
#[derive(Clone, Copy)]
struct Due {
    /// The number of the match in `Matches::held`.
    number: u64,
    turn_number: u32,
    choice: Choice,
}

/// An answer that was played: the owner, the seat, the action, how long it took, and the next turn.
type Played<'py> = (Py<PyAny>, u8, Py<PyAny>, u32, i32, Bound<'py, PyBytes>);

/// What is known of a match that leaves.
type Left<'py> = (
    Bound<'py, PyTuple>,
    Vec<Bound<'py, PyBytes>>,
    Vec<usize>,
    f64,
    Option<Bound<'py, PyTuple>>,
    Option<Bound<'py, PyTuple>>,
);

#[pymethods]
impl Matches {
    #[new]
    #[pyo3(signature = (
        *, faces, bet, doubt, cup_roll, starting_roll, opener_draw, reroll, step, dealer
    ))]
    #[allow(clippy::too_many_arguments, reason = "each is a value of Python")]
    fn new(
        faces: [Py<PyAny>; FACES],
        bet: Py<PyAny>,
        doubt: Py<PyAny>,
        cup_roll: Py<PyAny>,
        starting_roll: Py<PyAny>,
        opener_draw: Py<PyAny>,
        reroll: Py<PyAny>,
        step: Py<PyAny>,
        dealer: Py<PyAny>,
    ) -> Self {
        let plain_bets = std::array::from_fn(|_| std::array::from_fn(|_| None));
        Self {
            values: Values {
                faces,
                bet,
                doubt,
                cup_roll,
                starting_roll,
                opener_draw,
                reroll,
                step,
                dealer,
                plain_bets,
            },
            numbers: HashMap::new(),
            held: HashMap::new(),
            begun: 0,
            messages: 0,
            turn: Vec::new(),
        }
    }

    /// Begin a match, and return the seat on turn and its turn.
    #[allow(clippy::too_many_arguments, reason = "as many are the terms of a match")]
    fn begin<'py>(
        &mut self,
        py: Python<'py>,
        owner: Py<PyAny>,
        match_id: &str,
        options: (u8, bool, u8, u8, bool, bool),
        lines: &Bound<'py, PyList>,
        key: &[u8],
        turn_ms: u32,
        bank_ms: u32,
        now: f64,
    ) -> PyResult<(u8, Bound<'py, PyBytes>)> {
        let options = checked(options)?;
        let key = key.try_into().map_err(|_| PyValueError::new_err("a match key has 32 bytes"))?;
        let lines = lines.iter().map(|line| line.extract()).collect::<PyResult<Vec<i64>>>()?;
        if !(2..=MOST_SEATS).contains(&lines.len()) {
            return Err(PyValueError::new_err(format!(
                "Bluff is played by 2 to {MOST_SEATS} seats, not {}",
                lines.len()
            )));
        }
        if self.numbers.contains_key(match_id.as_bytes()) {
            return Err(PyValueError::new_err(format!("match {match_id} is held already")));
        }
        let time = TimeControl { turn_ms, bank_ms };
        let mut running = RunningMatch::begin(options, lines.len() as u8, key, time, now);
        self.turn.clear();
        running.put_turn(match_id, now, &mut self.turn);
        let seat = running.table.turn;
        let mut by_seat = BySeat::default();
        by_seat[..lines.len()].copy_from_slice(&lines);
        self.begun += 1;
        self.numbers.insert(match_id.as_bytes().into(), self.begun);
        let match_id = match_id.into();
        let held = Held { owner, match_id, lines: by_seat, answered_in: 0, running };
        self.held.insert(self.begun, Box::new(held));
        Ok((seat, PyBytes::new(py, &self.turn)))
    }

    /// Return the answers of a message that can be played here, and the message without them.
    fn split<'py>(
        &mut self,
        line: i64,
        message: &Bound<'py, PyBytes>,
        now: f64,
    ) -> (Option<Taken>, Bound<'py, PyBytes>) {
        let mut rest = Vec::new();
        match self.taken(line, message.as_bytes(), now, &mut rest) {
            Ok(taken) if !taken.is_empty() => {
                (Some(Taken(taken)), PyBytes::new(message.py(), &rest))
            }
            _ => (None, message.clone()),
        }
    }

    /// Play answers in order.
    fn play<'py>(
        &mut self,
        py: Python<'py>,
        taken: &Taken,
        now: f64,
    ) -> PyResult<Vec<Played<'py>>> {
        taken.0.iter().map(|&due| self.play_one(py, due, now)).collect()
    }

    /// Return when the open turn of a match was put.
    fn asked_at(&self, match_id: &str) -> PyResult<f64> {
        let held = self.number(match_id).and_then(|number| self.held.get(&number));
        held.map(|held| held.running.asked_at).ok_or_else(|| unknown(match_id))
    }

    /// Take a match out, and return what has happened in it.
    fn leave<'py>(&mut self, py: Python<'py>, match_id: &str) -> PyResult<Left<'py>> {
        let number = self.number(match_id).ok_or_else(|| unknown(match_id))?;
        let held = self.held.get(&number).ok_or_else(|| unknown(match_id))?;
        let (table, record) = (&held.running.table, &held.running.record);
        let seats = usize::from(table.seats);
        let over = table.over();
        let left = (
            self.values.steps(py, record, seats)?,
            record.events().map(|event| PyBytes::new(py, event)).collect(),
            held.running.seen[..seats].to_vec(),
            held.running.asked_at,
            over.then(|| PyTuple::new(py, table.placing())).transpose()?,
            over.then(|| PyTuple::new(py, &table.counts[..seats])).transpose()?,
        );
        self.numbers.remove(match_id.as_bytes());
        self.held.remove(&number);
        Ok(left)
    }

    fn __len__(&self) -> usize {
        self.held.len()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.values.traverse(&visit)?;
        self.held.values().try_for_each(|held| visit.call(&held.owner))
    }

    fn __clear__(&mut self) {
        self.numbers.clear();
        self.held.clear();
    }
}

impl Matches {
    fn number(&self, match_id: &str) -> Option<u64> {
        self.numbers.get(match_id.as_bytes()).copied()
    }

    /// Return the answers that can be played; all else is added to `rest`.
    fn taken(
        &mut self,
        line: i64,
        message: &[u8],
        now: f64,
        rest: &mut Vec<u8>,
    ) -> Result<Vec<Due>, Odd> {
        self.messages += 1;
        let mut taken = Vec::new();
        let mut known = true;
        for field in Fields::of(message) {
            let field = field?;
            let due = match field.value {
                Value::Bytes(content) if field.number == ANSWERS && known => {
                    // Whose turn an odd answer is about is for Python to say: it comes before those
                    // that follow.
                    let read = answer(content);
                    known = read.is_ok();
                    read.ok().and_then(|answer| self.due(line, &answer, now))
                }
                _ => None,
            };
            match due {
                Some(due) => taken.push(due),
                None => rest.extend_from_slice(field.whole),
            }
        }
        Ok(taken)
    }

    /// Return an answer if it can be played. Of a bot's several to a match only the first can: the
    /// others wait for Python, which takes them in order.
    fn due(&mut self, line: i64, answer: &Answer<'_>, now: f64) -> Option<Due> {
        let &number = self.numbers.get(answer.match_id)?;
        let held = self.held.get_mut(&number)?;
        let running = &held.running;
        let (table, turn_number) = (&running.table, running.turn_number);
        let first = held.answered_in != self.messages;
        held.answered_in = self.messages;
        let open = answer.turn_number == turn_number && !table.over();
        let own = held.lines[usize::from(table.turn)] == line;
        let choice = answer.choice?;
        let playable = first && open && own && table.allows(choice) && running.in_time(now);
        playable.then_some(Due { number, turn_number, choice })
    }

    fn play_one<'py>(&mut self, py: Python<'py>, due: Due, now: f64) -> PyResult<Played<'py>> {
        let held = self.held.get_mut(&due.number);
        let open = |held: &&mut Box<Held>| {
            held.running.turn_number == due.turn_number && !held.running.table.over()
        };
        let Some(held) = held.filter(open) else {
            return Ok((py.None(), 0, py.None(), 0, -1, PyBytes::new(py, b"")));
        };
        let action = self.values.choice(py, due.choice)?;
        let running = &mut held.running;
        let (seat, milliseconds) = (running.table.turn, running.elapsed_ms(now));
        running.play(due.choice, milliseconds);
        self.turn.clear();
        let mut next_seat = -1;
        if !running.table.over() {
            next_seat = running.table.turn.into();
            running.put_turn(&held.match_id, now, &mut self.turn);
        }
        let turn = PyBytes::new(py, &self.turn);
        Ok((held.owner.clone_ref(py), seat, action, milliseconds, next_seat, turn))
    }
}

fn checked(options: (u8, bool, u8, u8, bool, bool)) -> PyResult<Options> {
    let (dice_per_player, starting_rolls, start_star_value, start_rerolls, table_cap, show) =
        options;
    if !(1..=MOST_DICE).contains(&dice_per_player) {
        return Err(PyValueError::new_err(format!(
            "a seat starts with 1 to {MOST_DICE} dice, not {dice_per_player}"
        )));
    }
    Ok(Options {
        dice_per_player,
        starting_rolls,
        start_star_value,
        start_rerolls,
        table_cap,
        show_and_reroll: show,
    })
}

fn unknown(match_id: &str) -> PyErr {
    PyKeyError::new_err(match_id.to_owned())
}
