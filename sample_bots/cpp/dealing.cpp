#include "dealing.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>

using namespace arena::v1;
using std::to_string;

namespace {

std::string hmac(const std::string& key, const std::string& message) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(message.data()), message.size(), digest, &length);
  return {reinterpret_cast<char*>(digest), length};
}

std::string frame(const std::string& part) {
  std::string framed;
  for (int shift = 24; shift >= 0; shift -= 8) framed += static_cast<char>(part.size() >> shift);
  return framed + part;
}

}  // namespace

std::string sha256(const std::string& data) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(data.data()), data.size(), digest);
  return {reinterpret_cast<char*>(digest), sizeof digest};
}

std::string Draws::match_key(const std::string& secret, const std::string& match_id,
                             const std::vector<std::string>& entropies) {
  std::string message = frame(match_id);
  for (const std::string& entropy : entropies) message += frame(entropy);
  return hmac(secret, message);
}

int Draws::below(const std::string& key, int bound) const {
  const auto span = static_cast<std::uint64_t>(bound);
  const std::uint64_t incomplete = (0 - span) % span;  // 2^64 mod bound
  for (int attempt = 0;; ++attempt) {
    const std::string digest = hmac(match_key_, key + "#" + to_string(attempt));
    std::uint64_t number = 0;
    for (int at = 0; at < 8; ++at) number = number << 8 | static_cast<unsigned char>(digest[at]);
    if (number <= UINT64_MAX - incomplete) return static_cast<int>(number % span);
  }
}

void Draws::shuffle(const std::string& key, std::vector<int>& list) const {
  for (int last = static_cast<int>(list.size()) - 1; last > 0; --last) {
    std::swap(list[last], list[below(key + " " + to_string(last), last + 1)]);
  }
}

namespace {

/** Follows a match as far as its draws depend on it. Both methods say whether all is right. */
class Dealer {
 public:
  virtual ~Dealer() = default;
  virtual bool drew(const Draw& draw, const Draws& draws) = 0;
  virtual bool acted(int seat, const Action& action) = 0;
};

// --- Bluff --------------------------------------------------------------------------------------

using Dice = google::protobuf::RepeatedPtrField<BluffDice>;

bool rolled(const Draws& draws, const std::string& key, const BluffDice& dice) {
  std::vector<int> drawn;
  for (int die = 0; die < dice.faces_size(); ++die) {
    drawn.push_back(draws.below(key + " die " + to_string(die), 6) + 1);
  }
  std::sort(drawn.begin(), drawn.end());
  return std::equal(drawn.begin(), drawn.end(), dice.faces().begin(), dice.faces().end());
}

bool all_rolled(const Draws& draws, const std::string& key, const Dice& dice) {
  for (int seat = 0; seat < dice.size(); ++seat) {
    if (!rolled(draws, key + " seat " + to_string(seat), dice[seat])) return false;
  }
  return true;
}

class BluffDealer : public Dealer {
 public:
  BluffDealer(int star_value, int seats) : star_value_(star_value), rerolls_(seats, 0) {}

  bool acted(int seat, const Action&) override {
    last_ = seat;
    return true;
  }

  bool drew(const Draw& message, const Draws& draws) override {
    const BluffDraw& draw = message.bluff();
    switch (draw.draw_case()) {
      case BluffDraw::kStartingRoll:
        tied_ = largest(draw.starting_roll().dice());
        return all_rolled(draws, "start " + to_string(++attempt_), draw.starting_roll().dice());
      case BluffDraw::kOpenerDraw:
        return !tied_.empty() && tied_[draws.below("opener", static_cast<int>(tied_.size()))] ==
                                     draw.opener_draw().seat();
      case BluffDraw::kRoll:
        std::fill(rerolls_.begin(), rerolls_.end(), 0);
        return all_rolled(draws, "round " + to_string(++round_), draw.roll().dice());
      case BluffDraw::kReroll:
        return rolled(draws,
                      "round " + to_string(round_) + " seat " + to_string(last_) + " reroll " +
                          to_string(++rerolls_[last_]),
                      draw.reroll().dice());
      default:
        return false;
    }
  }

 private:
  std::vector<int> largest(const Dice& dice) const {
    std::vector<int> seats;
    int most = -1;
    for (int seat = 0; seat < dice.size(); ++seat) {
      int total = 0;
      for (const int face : dice[seat].faces()) total += face == BLUFF_FACE_STAR ? star_value_ : face;
      if (dice[seat].faces().empty() || total < most) continue;
      if (total > most) seats.clear();
      most = total;
      seats.push_back(seat);
    }
    return seats;
  }

  int star_value_;
  int attempt_ = 0;
  int round_ = 0;
  int last_ = 0;              // the seat that acted last
  std::vector<int> tied_;     // with the largest total of the last starting roll
  std::vector<int> rerolls_;  // by seat, in this round
};

// --- Bluff You! ---------------------------------------------------------------------------------

class BluffYouDealer : public Dealer {
 public:
  bool acted(int, const Action&) override { return true; }

  bool drew(const Draw& message, const Draws& draws) override {
    const auto& dice = message.bluff_you().roll().dice();
    ++turn_;
    for (int die = 0; die < dice.size(); ++die) {
      const std::string key = "turn " + to_string(turn_) + " die " + to_string(die);
      if (dice[die] != draws.below(key, 6) + 1) return false;
    }
    return dice.size() == 3;
  }

 private:
  int turn_ = 0;
};

// --- Blöff --------------------------------------------------------------------------------------

/** Counts turns, skipped ones included, because the doubter's key names the turn. */
class BloeffDealer : public Dealer {
 public:
  BloeffDealer(const BloeffOptions& options, int seats)
      : options_(options), seats_(seats), waiting_(seats) {
    begin_turn(options.first_seat() % seats);
  }

  bool drew(const Draw& message, const Draws& draws) override {
    const BloeffDraw& draw = message.bloeff();
    switch (draw.draw_case()) {
      case BloeffDraw::kDeal: {
        std::vector<int> deck;
        for (const BloeffDeckRow& row : options_.deck()) {
          deck.insert(deck.end(), std::max(0, row.count()), row.card());
        }
        return shuffled(draws, "deal", deck, draw.deal().cards());
      }
      case BloeffDraw::kReshuffle: {
        const auto& cards = draw.reshuffle().cards();
        return shuffled(draws, "recycle " + to_string(++reshuffles_),
                        {cards.begin(), cards.end()}, cards);
      }
      case BloeffDraw::kDoubter: {
        if (!balloting_ || doubters_.size() < 2) return false;
        const int doubter = doubters_[draws.below("doubter " + to_string(turn_),
                                                  static_cast<int>(doubters_.size()))];
        doubted(doubter);
        return draw.doubter().seat() == doubter;
      }
      default:
        return false;
    }
  }

  bool acted(int seat, const Action& message) override {
    const BloeffAction& action = message.bloeff();
    switch (action.action_case()) {
      case BloeffAction::kNumber:
        if (round_ >= options_.limits_size()) return false;
        if (action.number().announce() > options_.limits(round_)) {
          begin_round(seat);
        } else {
          player_ = seat;
          played_ = action.number();
          balloting_ = true;
          ballots_ = 0;
          doubters_.clear();
        }
        return true;
      case BloeffAction::kRed: {
        const int target = action.red().target();
        if (target < 0 || target >= seats_) return false;
        waiting_[target].push_back(action.red().card());
        begin_turn(after(seat));
        return true;
      }
      case BloeffAction::kActionCard:
        clockwise_ = !clockwise_;
        begin_turn(after(seat));
        return true;
      case BloeffAction::kBallot:
        if (action.ballot().doubt()) doubters_.push_back(seat);
        if (++ballots_ == seats_ - 1) all_voted();
        return true;
      default:
        return false;
    }
  }

 private:
  /** Whether the cards, in ascending order at first, are in the drawn order. */
  static bool shuffled(const Draws& draws, const std::string& key, std::vector<int> cards,
                       const google::protobuf::RepeatedField<int>& drawn) {
    std::sort(cards.begin(), cards.end());
    draws.shuffle(key, cards);
    return std::equal(cards.begin(), cards.end(), drawn.begin(), drawn.end());
  }

  void all_voted() {
    if (!balloting_) return;
    if (doubters_.empty()) {
      total_ = played_.announce();
      begin_turn(after(player_));
    } else if (doubters_.size() == 1) {
      doubted(doubters_[0]);
    } else if (options_.doubt_in_turn_order()) {
      int seat = after(player_);
      while (std::find(doubters_.begin(), doubters_.end(), seat) == doubters_.end()) {
        seat = after(seat);
      }
      doubted(seat);
    }  // else the dealer draws one of them
  }

  void doubted(int doubter) {
    int honest = total_ + played_.card() - 3;
    if (!options_.below_zero_is_bluff()) honest = std::max(0, honest);
    begin_round(played_.announce() == honest ? player_ : doubter);
  }

  void begin_round(int seat) {
    ++round_;
    total_ = 0;
    begin_turn(seat);
  }

  void begin_turn(int seat) {
    ++turn_;
    balloting_ = false;
    while (!waiting_[seat].empty()) {
      const int card = waiting_[seat].front();
      waiting_[seat].pop_front();
      if (card == BLOEFF_CARD_SKIP || options_.draw2_ends_turn()) return begin_turn(after(seat));
    }
  }

  int after(int seat) const { return (seat + (clockwise_ ? 1 : seats_ - 1)) % seats_; }

  const BloeffOptions& options_;
  int seats_;
  std::vector<std::deque<int>> waiting_;  // red cards in front of each seat, oldest first
  bool clockwise_ = true;
  int turn_ = 0;
  int round_ = 0;
  int total_ = 0;
  int reshuffles_ = 0;
  bool balloting_ = false;  // on the card `played_` of the seat `player_`
  int player_ = 0;
  BloeffNumber played_;
  int ballots_ = 0;
  std::vector<int> doubters_;
};

std::unique_ptr<Dealer> dealer_of(const Options& options, int seats) {
  switch (options.game_case()) {
    case Options::kBluff:
      return std::make_unique<BluffDealer>(options.bluff().start_star_value(), seats);
    case Options::kBluffYou:
      return std::make_unique<BluffYouDealer>();
    case Options::kBloeff:
      return std::make_unique<BloeffDealer>(options.bloeff(), seats);
    default:
      return nullptr;
  }
}

}  // namespace

std::optional<std::string> dealing_error(const Transcript& transcript) {
  if (sha256(transcript.secret()) != transcript.commitment()) {
    return "the secret is not the one committed to";
  }
  const Setup& setup = transcript.setup();
  const int seats = setup.entrants_size();
  if (seats == 0 || transcript.entropies_size() != seats) {
    return "there is not one entropy for each seat";
  }
  const auto& entropies = transcript.entropies();
  const Draws draws(Draws::match_key(transcript.secret(), setup.match_id(),
                                     {entropies.begin(), entropies.end()}));
  const auto dealer = dealer_of(setup.options(), seats);
  if (!dealer) return "the game is unknown";
  for (int index = 0; index < transcript.steps_size(); ++index) {
    const Step& step = transcript.steps(index);
    const bool right = step.has_draw() ? dealer->drew(step.draw(), draws)
                                       : step.seat() >= 0 && step.seat() < seats &&
                                             dealer->acted(step.seat(), step.action());
    if (!right) {
      return "step " + to_string(index + 1) + " does not follow from the opened secret";
    }
  }
  return std::nullopt;
}
