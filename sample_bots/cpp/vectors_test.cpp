// The bot and the check of the dealing against the test vectors.

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "bot.h"
#include "dealing.h"

using google::protobuf::util::JsonStringToMessage;
using google::protobuf::util::MessageDifferencer;
using nlohmann::json;
using namespace arena::v1;

namespace {

int failures = 0;

void expect(bool right, const std::string& what) {
  if (right) return;
  std::cerr << "FAILED: " << what << std::endl;
  ++failures;
}

/** A file of the vectors, which lie here (arena new-bot) or beside this folder. */
std::ifstream open(const std::string& name) {
  std::ifstream here("vectors/" + name);
  return here ? std::move(here) : std::ifstream("../vectors/" + name);
}

std::vector<json> lines(const std::string& name) {
  std::vector<json> lines;
  auto file = open(name);
  for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line));
  expect(!lines.empty(), "there is no vectors/" + name);
  return lines;
}

/** A message from its JSON form. */
template <typename M>
M message(const json& value) {
  M message;
  expect(JsonStringToMessage(value.dump(), &message).ok(), value.dump());
  return message;
}

std::string unhex(const std::string& hex) {
  std::string bytes;
  for (size_t at = 0; at < hex.size(); at += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
  }
  return bytes;
}

void draws_follow_from_the_opening() {
  for (const json& vector : json::parse(open("draws.json"))) {
    const std::string secret = unhex(vector["secret"]);
    expect(sha256(secret) == unhex(vector["commitment"]), "commitment");
    std::vector<std::string> entropies;
    for (const std::string entropy : vector["entropies"]) entropies.push_back(unhex(entropy));
    const std::string key = Draws::match_key(secret, vector["match_id"], entropies);
    expect(key == unhex(vector["match_key"]), "match key");
    const Draws draws(key);
    for (const json& draw : vector["draws"]) {
      expect(draws.below(draw["key"], draw["bound"]) == draw["result"], draw.dump());
    }
    for (const json& shuffle : vector["shuffles"]) {
      std::vector<int> order(shuffle["count"].get<size_t>());
      std::iota(order.begin(), order.end(), 0);
      draws.shuffle(shuffle["key"], order);
      expect(order == shuffle["order"].get<std::vector<int>>(), shuffle.dump());
    }
  }
}

void matches_are_dealt_as_promised() {
  for (const json& vector : lines("matches.jsonl")) {
    const auto error = dealing_error(message<Transcript>(vector["message"]));
    expect(!error, error.value_or(""));
  }
}

void tampering_is_noticed() {
  for (const json& vector : lines("tampered.jsonl")) {
    expect(dealing_error(message<Transcript>(vector["message"])).has_value(),
           vector["changed"].get<std::string>() + " was changed");
  }
}

void turns_are_answered_as_the_honest_bot_does(const std::string& game) {
  for (const json& vector : lines("turns_" + game + ".jsonl")) {
    Offer offer;
    *offer.mutable_options() = message<Options>(vector["options"]);
    for (const json& recorded : vector["turns"]) {
      offer.set_seat(recorded["seat"]);
      Turn turn;
      *turn.mutable_view() = message<View>(recorded["view"]);
      const Action action = Bot(offer).act(turn);
      bool good = false;
      for (const json& answer : recorded["answers"]) {
        good = good || MessageDifferencer::Equals(action, message<Action>(answer));
      }
      expect(good, action.ShortDebugString() + " is not among the answers of " + recorded.dump());
    }
  }
}

}  // namespace

int main() {
  draws_follow_from_the_opening();
  matches_are_dealt_as_promised();
  tampering_is_noticed();
  for (const std::string game : {"bluff", "bluff_you", "bloeff"}) {
    turns_are_answered_as_the_honest_bot_does(game);
  }
  std::cout << (failures ? "FAILED" : "ok") << std::endl;
  return failures != 0;
}
