// A bot for Bluff, Bluff You! and Blöff: it plays what is likeliest, given what it sees.
//
// This is the file to change. connection.cpp talks to the referee, dealing.cpp checks every match.

#include "bot.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>

using namespace arena::v1;

// --- Bluff --------------------------------------------------------------------------------------

namespace {

constexpr int star = BLUFF_FACE_STAR;  // counts for whatever face is bet on

/** It opens with the highest bet that is at least this likely to be right. */
constexpr double opens_at = 0.6;

struct Bet {
  int quantity;
  int face;

  /** The place on the track: star n lies between the numbers 2n - 1 and 2n. */
  int field() const { return face == star ? 4 * quantity - 1 : 2 * quantity; }
};

/** The probability that a bet is right: how many dice that this seat cannot see match is binomial. */
double likelihood(const BluffView& view, Bet bet) {
  std::vector<int> seen(view.hidden_dice().begin(), view.hidden_dice().end());
  for (const BluffDice& dice : view.face_up()) {
    seen.insert(seen.end(), dice.faces().begin(), dice.faces().end());
  }
  const auto matching = std::count_if(seen.begin(), seen.end(), [&](int die) {
    return die == bet.face || die == star;
  });
  const auto& counts = view.dice_counts();
  const int unseen = std::accumulate(counts.begin(), counts.end(), 0) - static_cast<int>(seen.size());
  const double p = bet.face == star ? 1.0 / 6 : 1.0 / 3;
  double chance = 0;
  double exactly = std::pow(1 - p, unseen);  // the probability of `count` matches
  for (int count = 0; count <= unseen; ++count) {
    if (count + matching >= bet.quantity) chance += exactly;
    exactly *= static_cast<double>(unseen - count) / (count + 1) * p / (1 - p);
  }
  return chance;
}

/** The highest bet that is likely enough; 1 x 1 always is. */
Bet opening(const BluffView& view) {
  Bet best{1, 1};
  for (int face = 1; face <= star; ++face) {
    for (int quantity = 1; quantity <= view.highest(); ++quantity) {
      const Bet bet{quantity, face};
      if (quantity > 1 && likelihood(view, bet) < opens_at) break;
      if (bet.field() > best.field()) best = bet;
    }
  }
  return best;
}

/** The lowest bet on the face that is likeliest to be right, if a doubt is not likelier. */
std::optional<Bet> answer(const BluffView& view) {
  const BluffBet& standing = view.bets(view.bets_size() - 1).bet();
  std::optional<Bet> best;
  double most = 1 - likelihood(view, {standing.quantity(), standing.face()});
  for (int face = 1; face <= star; ++face) {
    const Bet bet{view.lowest(face - 1), face};
    if (bet.quantity > view.highest()) continue;
    if (const double chance = likelihood(view, bet); chance > most) {
      most = chance;
      best = bet;
    }
  }
  return best;
}

BluffAction bluff(const BluffView& view) {
  BluffAction action;
  if (const auto bet = view.can_doubt() ? answer(view) : opening(view)) {
    action.mutable_bet()->set_quantity(bet->quantity);
    action.mutable_bet()->set_face(static_cast<BluffFace>(bet->face));
  } else {
    action.mutable_doubt();
  }
  return action;
}

}  // namespace

// --- Bluff You! ---------------------------------------------------------------------------------

namespace {

/** How many of the 216 rolls of three dice make a sum. */
int ways(int sum) {
  int count = 0;
  for (int one = 1; one <= 6; ++one) {
    for (int two = 1; two <= 6; ++two) {
      const int three = sum - one - two;
      count += three >= 1 && three <= 6;
    }
  }
  return count;
}

/** The first item with the largest key. */
template <typename List>
int largest(const List& list, const std::function<int(int)>& key) {
  return *std::max_element(list.begin(), list.end(), [&](int a, int b) { return key(a) < key(b); });
}

/** `least` or more of the chips from `at` on that are worth so many points. */
std::optional<std::vector<int>> worth(const BluffYouChips& chips, int at,
                                      const std::function<int(int)>& points, int wanted,
                                      int least) {
  if (wanted == 0 && least <= 0) return std::vector<int>{};
  for (; at < chips.numbers_size(); ++at) {
    const int chip = chips.numbers(at);
    if (points(chip) > wanted) continue;
    if (auto more = worth(chips, at + 1, points, wanted - points(chip), least - 1)) {
      more->insert(more->begin(), chip);
      return more;
    }
  }
  return std::nullopt;
}

}  // namespace

BluffYouAction Bot::bluff_you(const BluffYouView& view) const {
  BluffYouAction action;
  const BluffYouChips& own = view.chips(seat_);
  switch (view.phase()) {
    case BLUFF_YOU_PHASE_ANSWER:  // no sum of three dice is likelier than one in eight
      action.mutable_answer()->set_believe(false);
      return action;
    case BLUFF_YOU_PHASE_GIVE:
      action.mutable_give()->set_number(
          largest(own.numbers(), [&](int chip) { return -points(chip); }));
      return action;
    case BLUFF_YOU_PHASE_TAKE: {
      const BluffYouChips& theirs = view.chips(view.announced().steal().seer());
      action.mutable_take()->set_number(
          largest(theirs.numbers(), [&](int chip) { return points(chip); }));
      return action;
    }
    case BLUFF_YOU_PHASE_SWAP_AGAIN:
      action.mutable_stop();
      return action;
    default:
      return announce(view);
  }
}

/** The truth if possible, else a swap if possible, else the likeliest number. */
BluffYouAction Bot::announce(const BluffYouView& view) const {
  BluffYouAction action;
  const int rolled = std::accumulate(view.dice().begin(), view.dice().end(), 0);
  const auto holds = [&](const auto& list) {
    return std::find(list.begin(), list.end(), rolled) != list.end();
  };
  if (!holds(view.win_numbers())) {
    for (int seat = 0; view.can_steal() && seat < view.chips_size(); ++seat) {
      if (seat != seat_ && holds(view.chips(seat).numbers())) {
        action.mutable_steal()->set_seer(seat);
        action.mutable_steal()->set_number(rolled);
        return action;
      }
    }
    if (view.swap_targets_size() > 0) {
      const int target = view.swap_targets(0);
      const auto give = worth(
          view.chips(seat_), 0, [&](int chip) { return points(chip); }, points(target),
          options_.bluff_you().swap_min_give());
      action.mutable_swap()->set_take(target);
      action.mutable_swap()->mutable_give()->Assign(give.value().begin(), give.value().end());
      return action;
    }
  }
  action.mutable_win()->set_seer((seat_ + 1) % view.chips_size());
  action.mutable_win()->set_number(holds(view.win_numbers()) ? rolled
                                                             : largest(view.win_numbers(), ways));
  return action;
}

// --- Blöff --------------------------------------------------------------------------------------

namespace {

bool is_number(int card) { return card <= BLOEFF_CARD_FOUR; }  // the number cards come first

BloeffNumber number(int card, int announce) {
  BloeffNumber number;
  number.set_card(static_cast<BloeffCard>(card));
  number.set_announce(announce);
  number.set_call(true);  // never a mistake
  return number;
}

}  // namespace

BloeffAction Bot::bloeff(const BloeffView& view) const {
  BloeffAction action;
  if (view.has_balloted()) {
    action.mutable_ballot()->set_doubt(could_be(view, view.balloted().total()) == 0);
    return action;
  }
  std::optional<BloeffNumber> safe, bust;  // the highest honest card within the limit; the lowest
  int other = 0;
  for (const int card : view.hand()) {  // ascending
    if (!is_number(card)) {
      if (other == 0) other = card;
      continue;
    }
    const int total = makes(view, card);
    if (total < view.lowest() || total > view.highest()) continue;
    if (total <= view.limit()) safe = number(card, total);
    if (!bust) bust = number(card, total);
  }
  if (safe || other == 0) {
    *action.mutable_number() =
        safe ? *safe : bust.value_or(number(view.hand(0), view.lowest()));
  } else if (other == BLOEFF_CARD_REVERSE) {  // worth least: it costs nobody a card or a turn
    action.mutable_action_card()->set_card(BLOEFF_CARD_REVERSE);
    action.mutable_action_card()->set_call(true);
  } else {
    BloeffRed& red = *action.mutable_red();
    red.set_card(static_cast<BloeffCard>(other));
    red.set_target((seat_ + 1) % view.hand_sizes_size());
    red.set_call(true);
  }
  return action;
}

/** The honest total of a number card, whose value is its number on the wire minus 3. */
int Bot::makes(const BloeffView& view, int card) const {
  const int total = view.total() + card - 3;
  return options_.bloeff().below_zero_is_bluff() ? total : std::max(0, total);
}

/** How many cards that this seat has not seen would make the total honest. */
int Bot::could_be(const BloeffView& view, int total) const {
  const auto fits = [&](int card) { return is_number(card) && makes(view, card) == total; };
  int count = 0;
  for (const BloeffDeckRow& row : options_.bloeff().deck()) {
    if (fits(row.card())) count += row.count();
  }
  for (const auto* pile : {&view.hand(), &view.seen(), &view.face_down()}) {
    count -= static_cast<int>(std::count_if(pile->begin(), pile->end(), fits));
  }
  return count;
}

// --- All games ----------------------------------------------------------------------------------

Action Bot::act(const Turn& turn) const {
  Action action;
  switch (turn.view().game_case()) {
    case View::kBluff:
      *action.mutable_bluff() = bluff(turn.view().bluff());
      return action;
    case View::kBluffYou:
      *action.mutable_bluff_you() = bluff_you(turn.view().bluff_you());
      return action;
    case View::kBloeff:
      *action.mutable_bloeff() = bloeff(turn.view().bloeff());
      return action;
    default:
      throw std::invalid_argument("a view of an unknown game");
  }
}
