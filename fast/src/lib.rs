//! Running matches of Bluff for one referee: answers in, the next turns' bytes out.
//!
//! The rules, draws and messages are those of `arena/games/bluff` and `proto/`, which remain the
//! reference: `tests/games/test_compiled_bluff.py` compares every byte. Whatever is unusual (a
//! fault, a note, a spectator) is left to Python, which takes the match over.

mod bets;
mod dice;
mod matches;
mod python;
mod randomness;
mod reading;
mod record;
mod rules;
mod running;
mod writing;

/// Running matches of Bluff for one referee.
#[pyo3::pymodule]
mod bluff_arena_fast {
    #[pymodule_export]
    use crate::matches::{Matches, Taken};

    /// The version of bluff-arena to which this is equal.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
