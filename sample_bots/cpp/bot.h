#pragma once

#include <string>
#include <vector>

#include "arena/v1/referee.pb.h"

/** Plays one match in one seat: what it keeps belongs to that match. bot.cpp says how. */
class Bot {
 public:
  static inline const std::vector<std::string> games{"bluff", "bluff_you", "bloeff"};
  /** How many matches it plays at once, 1 to 64. */
  static constexpr int max_matches = 16;

  /** Called for every match. At this moment the offer may name nobody but this bot. */
  explicit Bot(const arena::v1::Offer& offer) : seat_(offer.seat()), options_(offer.options()) {}

  /** Answers a turn. An exception counts as a malformed answer: a fault. */
  arena::v1::Action act(const arena::v1::Turn& turn) const;

 private:
  arena::v1::BluffYouAction bluff_you(const arena::v1::BluffYouView& view) const;
  arena::v1::BluffYouAction announce(const arena::v1::BluffYouView& view) const;
  arena::v1::BloeffAction bloeff(const arena::v1::BloeffView& view) const;
  int points(int chip) const { return options_.bluff_you().chip_points(chip - 3); }
  int makes(const arena::v1::BloeffView& view, int card) const;
  int could_be(const arena::v1::BloeffView& view, int total) const;

  int seat_;
  arena::v1::Options options_;
};
