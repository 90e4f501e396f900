//! The bot and the check of the dealing against the test vectors.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage};
use serde_json::Value;

use crate::bot::Bot;
use crate::dealing::{self, Draws};
use crate::wire::*;

/// A file of the vectors, which lie here (arena new-bot) or beside this folder.
fn read(name: &str) -> String {
    // Asked as it runs: what was built may be used for a folder elsewhere.
    let folder = std::env::var("CARGO_MANIFEST_DIR").expect("cargo test runs this");
    let folder = Path::new(&folder);
    let places = ["vectors", "../vectors"].map(|vectors| folder.join(vectors).join(name));
    let file = places
        .iter()
        .find(|file| file.exists())
        .expect("there are vectors");
    fs::read_to_string(file).expect("a text")
}

fn lines(name: &str) -> Vec<Value> {
    read(name)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// A message from its JSON form.
fn message<M: Message + Default>(name: &str, json: &Value) -> M {
    static DESCRIPTORS: LazyLock<DescriptorPool> = LazyLock::new(|| {
        let descriptors = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
        DescriptorPool::decode(&descriptors[..]).expect("descriptors")
    });
    let kind = DESCRIPTORS
        .get_message_by_name(&format!("arena.v1.{name}"))
        .expect("a message's name");
    let dynamic = DynamicMessage::deserialize(kind, json).expect("the message's JSON");
    dynamic.transcode_to().expect("the message")
}

fn bytes(hex: &Value) -> Vec<u8> {
    let hex = hex.as_str().expect("a text");
    let pairs = (0..hex.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal"))
        .collect()
}

fn each<'a>(json: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    json[name].as_array().expect("a list").iter()
}

#[test]
fn draws_follow_from_the_opening() {
    let vectors: Value = serde_json::from_str(&read("draws.json")).expect("JSON");
    for vector in vectors.as_array().expect("a list") {
        let entropies: Vec<Vec<u8>> = each(vector, "entropies").map(bytes).collect();
        let match_id = vector["match_id"].as_str().expect("a text");
        let key = dealing::match_key(&bytes(&vector["secret"]), match_id, &entropies);
        assert_eq!(key, bytes(&vector["match_key"]));
        let draws = Draws::new(&key);
        for draw in each(vector, "draws") {
            let (key, bound) = (
                draw["key"].as_str().unwrap(),
                draw["bound"].as_u64().unwrap(),
            );
            assert_eq!(
                Some(draws.below(key, bound as usize) as u64),
                draw["result"].as_u64(),
                "{key}"
            );
        }
        for shuffle in each(vector, "shuffles") {
            let mut order: Vec<u64> = (0..shuffle["count"].as_u64().unwrap()).collect();
            draws.shuffle(shuffle["key"].as_str().unwrap(), &mut order);
            assert_eq!(Value::from(order), shuffle["order"]);
        }
    }
}

#[test]
fn matches_are_dealt_as_promised() {
    for vector in lines("matches.jsonl") {
        assert_eq!(
            dealing::check(&message("Transcript", &vector["message"])),
            Ok(())
        );
    }
}

#[test]
fn tampering_is_noticed() {
    for vector in lines("tampered.jsonl") {
        let transcript = message("Transcript", &vector["message"]);
        assert!(
            dealing::check(&transcript).is_err(),
            "{} was changed",
            vector["changed"]
        );
    }
}

#[test]
fn turns_are_answered_as_the_honest_bot_does() {
    for game in ["bluff", "bluff_you", "bloeff"] {
        for vector in lines(&format!("turns_{game}.jsonl")) {
            let options: Options = message("Options", &vector["options"]);
            for turn in each(&vector, "turns") {
                let seat = turn["seat"].as_i64().expect("a seat") as i32;
                let offer = Offer {
                    options: Some(options.clone()),
                    seat,
                    ..Default::default()
                };
                let view = Some(message("View", &turn["view"]));
                let asked = Turn {
                    view,
                    ..Default::default()
                };
                let action = Bot::new(&offer).and_then(|mut bot| bot.act(&asked));
                let good = each(turn, "answers").any(|one| action == Some(message("Action", one)));
                assert!(good, "{action:?} is not among the answers of {turn}");
            }
        }
    }
}
