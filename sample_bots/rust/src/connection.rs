//! The stream to the referee: joins, asks the bot, reconnects, and checks every finished match.

use std::collections::HashMap;
use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Duration;

use tokio::signal;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::transport::{ClientTlsConfig, Endpoint};
use tonic::{Code, Request, Status};

use crate::bot::{Bot, GAMES, MAX_MATCHES};
use crate::dealing;
use crate::wire::referee_service_client::RefereeServiceClient;
use crate::wire::*;

/// Before the next attempt to connect, in seconds.
const FIRST_PAUSE: f64 = 0.5;
const LONGEST_PAUSE: f64 = 30.0;
/// A stream that lasted so long makes the next pause short again.
const LASTING: Duration = Duration::from_secs(5);
/// How long a leaving bot waits for the referee to close the stream.
const GOODBYE: Duration = Duration::from_secs(2);
/// So soon the matches of a lost stream are resumed elsewhere.
const ADOPTION: Duration = Duration::from_secs(20);
/// The time to connect and be answered.
const CONNECT: Duration = Duration::from_secs(20);
const MAX_MESSAGE_BYTES: usize = 16 << 20;

/// A match that the bot has joined.
struct Match {
    offer: Offer,
    /// What it joined with.
    entropy: Vec<u8>,
    bot: Bot,
}

#[derive(Default)]
struct Connection {
    /// Of the referees: the one given, then the others that were told.
    addresses: Vec<String>,
    matches: HashMap<String, Match>,
    /// Matches of the stream before that were not resumed.
    lost: HashMap<String, Match>,
    leaving: bool,
    /// Whether the referee knows `drain`.
    drains: bool,
    welcomed: Option<Instant>,
    /// When the last stream was lost, until another is welcomed.
    lost_at: Option<Instant>,
}

/// Plays until Ctrl-C. After the first one (or SIGTERM) the running matches are finished; the second
/// leaves at once. The exit code is 2 if the referee refuses the bot.
pub fn run() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(play())
}

async fn play() -> ExitCode {
    let token = env::var("ARENA_TOKEN")
        .unwrap_or_default()
        .trim()
        .to_string();
    if token.is_empty() {
        eprintln!("Set ARENA_TOKEN to the bot's token (`arena bot new` prints it).");
        return ExitCode::from(2);
    }
    let mut address = env::var("ARENA_ADDRESS").unwrap_or_else(|_| "127.0.0.1:50051".into());
    let mut signals = stop_signals();
    let mut connection = Connection {
        addresses: vec![address.clone()],
        ..Default::default()
    };
    let mut pause = FIRST_PAUSE;
    loop {
        let status = connection.play_once(&address, &token, &mut signals).await;
        if connection.leaving && (status.code() == Code::Ok || connection.matches.is_empty()) {
            eprintln!("Stopped.");
            return ExitCode::SUCCESS;
        }
        match status.code() {
            Code::Aborted => {
                eprintln!("Stopped: {}", status.message());
                return ExitCode::SUCCESS;
            }
            Code::Unauthenticated
            | Code::PermissionDenied
            | Code::InvalidArgument
            | Code::Unimplemented => {
                eprintln!("The referee refused this bot: {}", status.message());
                return ExitCode::from(2);
            }
            _ => {}
        }
        if let Some(at) = connection.welcomed {
            connection.lost_at = Some(Instant::now());
            if at.elapsed() >= LASTING {
                pause = FIRST_PAUSE;
            }
        }
        let jitter = f64::from(getrandom::u32().unwrap_or_default()) / f64::from(u32::MAX);
        let wait = (pause * (0.5 + jitter / 2.0)).max(retry_after(&status));
        pause = (pause * 4.0 / 3.0).min(LONGEST_PAUSE);
        let why = status.message();
        eprintln!(
            "Not connected to {address} ({why}); again in {wait:.1} s. ARENA_ADDRESS says which referee."
        );
        tokio::select! {
            _ = sleep(Duration::from_secs_f64(wait)) => {}
            _ = sleep_until(connection.gives_up()) => {
                eprintln!("Stopped.");
                return ExitCode::SUCCESS;
            }
            _ = signals.recv() => {
                eprintln!("Stopped.");
                return ExitCode::from(if connection.leaving { 130 } else { 0 });
            }
        }
        address = connection.next(&address);
    }
}

fn never() -> Instant {
    Instant::now() + Duration::from_secs(u32::MAX.into())
}

/// So many seconds the referee wants to be left alone.
fn retry_after(status: &Status) -> f64 {
    let said = status.metadata().get("retry-after");
    let seconds: Option<u32> = said.and_then(|text| text.to_str().ok()?.parse().ok());
    seconds.unwrap_or(0).into()
}

/// An item for each Ctrl-C or SIGTERM.
fn stop_signals() -> UnboundedReceiver<()> {
    let (sender, receiver) = unbounded_channel();
    #[cfg(unix)]
    let mut terminate =
        signal::unix::signal(signal::unix::SignalKind::terminate()).expect("a handler");
    tokio::spawn(async move {
        loop {
            #[cfg(unix)]
            tokio::select! { _ = signal::ctrl_c() => {}, _ = terminate.recv() => {} }
            #[cfg(not(unix))]
            let _ = signal::ctrl_c().await;
            if sender.send(()).is_err() {
                return;
            }
        }
    });
    receiver
}

impl Connection {
    /// Where to try after an address. When a referee is gone, another goes on with its matches.
    fn next(&self, address: &str) -> String {
        let after = self.addresses.iter().position(|one| one == address);
        self.addresses[after.map_or(0, |at| at + 1) % self.addresses.len()].clone()
    }

    /// Notes where the referees are. A program that was given a socket may have no network.
    fn told(&mut self, referees: &Referees) {
        if !self.addresses[0].starts_with("unix:") {
            self.addresses.truncate(1);
            let given = self.addresses[0].clone();
            let others = referees.addresses.iter().filter(|one| **one != given);
            self.addresses.extend(others.cloned());
        }
    }

    /// Whether it is time to close our side of the stream. A referee that drains the bot closes the
    /// stream itself.
    fn gone(&self) -> bool {
        self.leaving && !self.drains && self.matches.is_empty()
    }

    /// When a leaving bot that no referee has welcomed after a loss gives up.
    fn gives_up(&self) -> Instant {
        match self.lost_at {
            Some(at) if self.leaving => at + ADOPTION,
            _ => never(),
        }
    }

    /// Leaves, at once if it was asked before.
    fn leave(&mut self, sender: Option<&UnboundedSender<PlayRequest>>) {
        if self.leaving {
            eprintln!("Stopped.");
            std::process::exit(130);
        }
        self.leaving = true;
        if let (true, Some(sender)) = (self.drains, sender) {
            let drain = Some(Drain {});
            let _ = sender.send(PlayRequest {
                drain,
                ..Default::default()
            });
        }
        let running = self.matches.len();
        eprintln!("Finishing {running} matches; Ctrl-C again leaves at once.");
    }

    /// Plays over one stream until it ends, and returns why it did.
    async fn play_once(
        &mut self,
        address: &str,
        token: &str,
        signals: &mut UnboundedReceiver<()>,
    ) -> Status {
        self.welcomed = None;
        self.drains = false;
        self.converse(address, token, signals)
            .await
            .err()
            .unwrap_or_else(|| Status::ok("closed"))
    }

    async fn converse(
        &mut self,
        address: &str,
        token: &str,
        signals: &mut UnboundedReceiver<()>,
    ) -> Result<(), Status> {
        let unusable = |error: tonic::transport::Error| Status::unavailable(error.to_string());
        let encrypted = address.starts_with("https://");
        let uri = if encrypted || address.starts_with("unix:") {
            address.to_string()
        } else {
            format!("http://{address}")
        };
        let mut endpoint = Endpoint::from_shared(uri)
            .map_err(|error| Status::invalid_argument(format!("ARENA_ADDRESS {address}: {error}")))?
            .connect_timeout(CONNECT)
            .http2_keep_alive_interval(Duration::from_secs(60))
            .keep_alive_while_idle(true);
        if encrypted {
            endpoint = endpoint
                .tls_config(ClientTlsConfig::new().with_enabled_roots())
                .map_err(unusable)?;
        }
        let (sender, outgoing) = unbounded_channel();
        let hello = Hello {
            protocol_version: 1,
            instance: env::var("ARENA_INSTANCE").unwrap_or_default(),
            games: GAMES.map(String::from).to_vec(),
            // A bot that leaves comes back for its matches alone: -1 asks for no others.
            max_matches: if self.leaving { -1 } else { MAX_MATCHES },
            client: "starter, Rust".into(),
            ..Default::default()
        };
        let _ = sender.send(PlayRequest {
            hello: Some(hello),
            ..Default::default()
        });
        let mut request = Request::new(UnboundedReceiverStream::new(outgoing));
        let bearer = format!("Bearer {token}");
        let bearer = bearer
            .parse()
            .map_err(|_| Status::unauthenticated("ARENA_TOKEN is no token"))?;
        request.metadata_mut().insert("authorization", bearer);
        let opening = async {
            let channel = endpoint.connect().await.map_err(unusable)?;
            let mut client =
                RefereeServiceClient::new(channel).max_decoding_message_size(MAX_MESSAGE_BYTES);
            let answer = timeout(CONNECT, client.play(request)).await;
            let responses = answer.map_err(|_| Status::unavailable("no answer"))??;
            Ok::<_, Status>((client, responses.into_inner()))
        };
        tokio::pin!(opening);
        let (_client, mut responses) = loop {
            tokio::select! {
                opened = &mut opening => break opened?,
                _ = signals.recv() => self.leave(None),
                _ = sleep_until(self.gives_up()) => return Ok(()),
            }
            if self.gone() {
                return Ok(());
            }
        };

        let mut sender = Some(sender);
        let mut patience = never();
        loop {
            if self.gone() && sender.take().is_some() {
                patience = Instant::now() + GOODBYE; // the sender is dropped: our side is closed
            }
            tokio::select! {
                response = responses.message() => {
                    let Some(response) = response? else { return Ok(()) };
                    self.welcomed.get_or_insert_with(Instant::now);
                    self.lost_at = None;
                    let request = self.reply(&response);
                    if let Some(sender) = &sender && request != PlayRequest::default() {
                        let _ = sender.send(request);
                        // Lets the answers leave before matches are checked.
                        tokio::task::yield_now().await;
                    }
                    for end in response.ends {
                        self.ended(end);
                    }
                }
                _ = signals.recv() => self.leave(sender.as_ref()),
                _ = sleep_until(patience) => return Ok(()),
                _ = sleep_until(self.gives_up()) => return Ok(()),
            }
        }
    }

    /// Handles everything but ends, and returns what there is to say.
    fn reply(&mut self, response: &PlayResponse) -> PlayRequest {
        let mut request = PlayRequest::default();
        let welcome = response.welcome.as_ref();
        let told = welcome.and_then(|welcome| welcome.referees.as_ref());
        if let Some(referees) = response.referees.as_ref().or(told) {
            self.told(referees);
        }
        if let Some(welcome) = welcome {
            self.lost = std::mem::take(&mut self.matches);
            self.drains = welcome.knows_drain;
            // The wish of the stream before was lost with it.
            request.drain = (self.leaving && self.drains).then_some(Drain {});
            let entrant = welcome.entrant.clone().unwrap_or_default();
            let (games, most) = (welcome.games.join(", "), welcome.max_matches);
            let Entrant { bot, version, .. } = entrant;
            eprintln!(
                "Connected as {bot} {version}; playing {games}, up to {most} matches at once."
            );
        }
        for Resume { offer, entropy } in &response.resumes {
            let Some(offer) = offer else { continue };
            let begin = || {
                let entropy = entropy.clone();
                Some(Match {
                    offer: offer.clone(),
                    entropy,
                    bot: Bot::new(offer)?,
                })
            };
            if let Some(resumed) = self.lost.remove(&offer.match_id).or_else(begin) {
                self.matches.insert(offer.match_id.clone(), resumed);
            }
        }
        for offer in &response.offers {
            let match_id = offer.match_id.clone();
            match Bot::new(offer) {
                Some(bot) if self.drains || !self.leaving => {
                    let mut entropy = vec![0; 16];
                    getrandom::fill(&mut entropy).expect("the system has random bytes");
                    request.joins.push(Join {
                        match_id: match_id.clone(),
                        entropy: entropy.clone(),
                    });
                    let joined = Match {
                        offer: offer.clone(),
                        entropy,
                        bot,
                    };
                    self.matches.insert(match_id, joined);
                }
                _ => request.declines.push(Decline { match_id }),
            }
        }
        for Withdrawal { match_id, reason } in &response.withdrawals {
            if self.forget(match_id).is_some() {
                eprintln!("Match {match_id} was called off: {reason}");
            }
        }
        for Refusal {
            match_id,
            turn_number,
            reason,
            legal,
            faults,
            ..
        } in &response.refusals
        {
            eprintln!("Fault {faults} in match {match_id}, turn {turn_number}: {reason} {legal}");
        }
        request.answers = response
            .turns
            .iter()
            .map(|turn| self.answer(turn))
            .collect();
        request
    }

    /// Asks the bot. An answer without an action is refused at once, so that the others need not wait
    /// for the end of our time.
    fn answer(&mut self, turn: &Turn) -> Answer {
        let bot = self
            .matches
            .get_mut(&turn.match_id)
            .map(|joined| &mut joined.bot);
        // The panic's message is on stderr.
        let action = catch_unwind(AssertUnwindSafe(|| bot?.act(turn))).unwrap_or_default();
        Answer {
            match_id: turn.match_id.clone(),
            turn_number: turn.turn_number,
            action,
            ..Default::default()
        }
    }

    fn ended(&mut self, end: End) {
        // An unknown match was played by an earlier run of the program.
        let Some(played) = self.forget(&end.match_id) else {
            return;
        };
        if let Err(why) = played.check(&end.transcript.unwrap_or_default()) {
            eprintln!("Match {}: verification failed: {why}", end.match_id);
        }
    }

    fn forget(&mut self, match_id: &str) -> Option<Match> {
        self.matches
            .remove(match_id)
            .or_else(|| self.lost.remove(match_id))
    }
}

impl Match {
    /// Says what is wrong with the finished match, if anything.
    fn check(&self, transcript: &Transcript) -> Result<(), String> {
        let setup = transcript.setup.clone().unwrap_or_default();
        if setup.match_id != self.offer.match_id || setup.options != self.offer.options {
            return Err("the match is not the one offered".into());
        }
        if transcript.commitment != self.offer.commitment {
            return Err("the commitment is not the one offered".into());
        }
        let recorded = transcript.entropies.get(self.offer.seat as usize);
        if !self.entropy.is_empty() && Some(&self.entropy) != recorded {
            return Err("it was not dealt with the entropy that this bot sent".into());
        }
        dealing::check(transcript)
    }
}
