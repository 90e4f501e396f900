mod bot;
mod connection;
mod dealing;
#[cfg(test)]
mod vectors;

/// The messages of proto/arena/v1. The message `Result` is `MatchResult` here, so that
/// `use crate::wire::*` does not hide Rust's own `Result`.
mod wire {
    pub use std::result::Result;

    #[allow(unused_imports)]
    pub use generated::Result as MatchResult;
    pub use generated::*;

    #[allow(unused_imports)]
    mod generated {
        tonic::include_proto!("arena.v1");
    }
}

fn main() -> std::process::ExitCode {
    connection::run()
}
