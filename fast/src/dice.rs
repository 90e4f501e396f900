//! Dice of one seat.

/// The number of faces; face f is at index f - 1, and the star is the last.
pub const FACES: usize = 6;
/// The face that counts for every face.
pub const STAR: u8 = 6;

/// The dice of one cup, as how many show each face.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Dice([u8; FACES]);

impl Dice {
    /// Add a die.
    pub fn add(&mut self, face: u8) {
        self.0[usize::from(face) - 1] += 1;
    }

    /// The number of dice.
    pub fn len(self) -> u8 {
        self.0.iter().sum()
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == [0; FACES]
    }

    /// The number of dice that show a face.
    pub fn count(self, face: u8) -> u8 {
        self.0[usize::from(face) - 1]
    }

    /// These dice and others.
    pub fn with(mut self, others: Self) -> Self {
        for (count, more) in self.0.iter_mut().zip(others.0) {
            *count += more;
        }
        self
    }

    /// What is left without others; None if some of them are not among these.
    pub fn without(mut self, others: Self) -> Option<Self> {
        for (count, fewer) in self.0.iter_mut().zip(others.0) {
            *count = count.checked_sub(fewer)?;
        }
        Some(self)
    }

    /// The faces, ascending.
    pub fn faces(self) -> impl Iterator<Item = u8> {
        (1..=STAR).flat_map(move |face| std::iter::repeat_n(face, usize::from(self.count(face))))
    }

    /// The dice's pips, with those that a star counts.
    pub fn pips(self, star: u8) -> u32 {
        (1..=STAR)
            .map(|face| {
                u32::from(if face == STAR { star } else { face }) * u32::from(self.count(face))
            })
            .sum()
    }
}
