#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arena/v1/transcript.pb.h"

/** What is wrong with the dealing of a finished match, if anything: every draw is recomputed from the
 * opened secret and the entropies of all seats. It does not judge the seats' actions.
 * docs/transcript.md has the formulas. */
std::optional<std::string> dealing_error(const arena::v1::Transcript& transcript);

std::string sha256(const std::string& data);

/** The draws of a match. */
class Draws {
 public:
  explicit Draws(std::string match_key) : match_key_(std::move(match_key)) {}

  static std::string match_key(const std::string& secret, const std::string& match_id,
                               const std::vector<std::string>& entropies);

  /** The number from 0 to `bound` - 1 that is drawn under a key. */
  int below(const std::string& key, int bound) const;

  void shuffle(const std::string& key, std::vector<int>& list) const;

 private:
  std::string match_key_;
};
