// The stream to the referee: joins, asks the bot, reconnects, and checks every finished match.

#include "connection.h"

#include <google/protobuf/util/message_differencer.h>
#include <grpcpp/grpcpp.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "arena/v1/referee.grpc.pb.h"
#include "bot.h"
#include "dealing.h"

using namespace arena::v1;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

namespace {

constexpr double first_pause = 0.5;  // seconds before the next attempt to connect
constexpr double longest_pause = 30;
constexpr std::chrono::seconds lasting{5};  // so long a stream makes the next pause short again
constexpr std::chrono::seconds goodbye{2};  // that a leaving bot waits for the referee to close
constexpr std::chrono::seconds adoption{20};  // so soon lost matches are resumed elsewhere
constexpr int max_message_bytes = 16 << 20;

/** Whether a target is on this machine, which no proxy of the environment reaches. */
bool on_this_machine(const std::string& target) {
  const auto begins = [&](const char* with) { return target.starts_with(with); };
  return begins("unix:") || begins("localhost:") || begins("127.") || begins("[::1]:");
}

const std::set<grpc::StatusCode> hopeless{
    grpc::StatusCode::UNAUTHENTICATED, grpc::StatusCode::PERMISSION_DENIED,
    grpc::StatusCode::INVALID_ARGUMENT, grpc::StatusCode::UNIMPLEMENTED};

std::string setting(const char* name, const std::string& otherwise = "") {
  const char* value = std::getenv(name);
  return value && *value ? value : otherwise;
}

/** A match that the bot has joined, and what it joined with. */
struct Match {
  Offer offer;
  std::string entropy;
  Bot bot;

  /** What is wrong with the finished match, if anything. */
  std::optional<std::string> error(const Transcript& transcript) const {
    const Setup& setup = transcript.setup();
    if (setup.match_id() != offer.match_id() ||
        !google::protobuf::util::MessageDifferencer::Equals(setup.options(), offer.options())) {
      return "the match is not the one offered";
    }
    if (transcript.commitment() != offer.commitment()) {
      return "the commitment is not the one offered";
    }
    if (!entropy.empty() && (offer.seat() >= transcript.entropies_size() ||
                             transcript.entropies(offer.seat()) != entropy)) {
      return "it was not dealt with the entropy that this bot sent";
    }
    return dealing_error(transcript);
  }
};

class Connection {
 public:
  Connection(std::string address, std::string token)
      : token_(std::move(token)), address_(address), addresses_{std::move(address)} {}

  int play() {
    for (double pause = first_pause;; pause = std::min(pause * 4 / 3, longest_pause)) {
      const grpc::Status status = play_once();
      std::unique_lock lock(mutex_);
      const bool left = leaving_ && (status.ok() || matches_.empty());
      if (left || asked_to_stop_) return stopped("Stopped.", 0);
      if (status.error_code() == grpc::StatusCode::ABORTED) {
        return stopped("Stopped: " + status.error_message(), 0);
      }
      if (hopeless.contains(status.error_code())) {
        return stopped("The referee refused this bot: " + status.error_message(), 2);
      }
      if (welcomed_) {
        lost_at_ = Clock::now();
        if (*lost_at_ - *welcomed_ >= lasting) pause = first_pause;
        give_up_later();
      }
      const double jittered = pause * std::uniform_real_distribution(0.5, 1.0)(random_);
      const double wait = std::max(jittered, retry_after_);
      std::cerr << "Not connected to " << address_ << " (" << status.error_message()
                << "); again in " << wait << " s. ARENA_ADDRESS says which referee." << std::endl;
      if (changed_.wait_for(lock, Seconds(wait), [this] { return asked_to_stop_; })) {
        return stopped("Stopped.", 0);
      }
      // When a referee is gone, another goes on with its matches.
      const auto tried = std::find(addresses_.begin(), addresses_.end(), address_);
      const auto next = tried == addresses_.end() ? tried : tried + 1;
      address_ = next == addresses_.end() ? addresses_.front() : *next;
    }
  }

  /** Called for each Ctrl-C or SIGTERM, by another thread than `play`. */
  void stop() {
    const std::lock_guard lock(mutex_);
    if (leaving_) _exit(stopped("Stopped.", 130));
    if (!context_) {  // between two streams it leaves at once
      asked_to_stop_ = true;
      changed_.notify_all();
      return;
    }
    leaving_ = true;
    std::cerr << "Finishing " << matches_.size() << " matches; Ctrl-C again leaves at once."
              << std::endl;
    if (drains_) {
      PlayRequest request;
      request.mutable_drain();
      stream_->Write(request);
    }
    close_when_done();
    give_up_later();
  }

 private:
  static int stopped(const std::string& sentence, int code) {
    std::cerr << sentence << std::endl;
    return code;
  }

  /** Whether it is time to close our side of the stream. A referee that drains the bot closes the
   * stream itself. */
  bool gone() const { return leaving_ && !drains_ && matches_.empty(); }

  /** Plays over one stream until it ends, and returns why it did. */
  grpc::Status play_once() {
    const bool encrypted = address_.starts_with("https://");
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(max_message_bytes);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 60'000);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // the back-off is ours
    const std::string target = encrypted ? address_.substr(8) : address_;
    if (on_this_machine(target)) arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    const auto channel = grpc::CreateCustomChannel(
        target,
        encrypted ? grpc::SslCredentials({}) : grpc::InsecureChannelCredentials(), arguments);
    const auto stub = RefereeService::NewStub(channel);
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + token_);
    {
      const std::lock_guard lock(mutex_);
      if (asked_to_stop_) return grpc::Status::CANCELLED;
      welcomed_.reset();
      drains_ = closed_ = false;
      context_ = &context;
    }
    const auto stream = stub->Play(&context);  // waits for the connection
    PlayRequest request;
    Hello& hello = *request.mutable_hello();
    hello.set_protocol_version(1);
    hello.set_instance(setting("ARENA_INSTANCE"));
    hello.mutable_games()->Assign(Bot::games.begin(), Bot::games.end());
    hello.set_client("starter, C++");
    {
      const std::lock_guard lock(mutex_);
      // A bot that leaves comes back for its matches alone: -1 asks for no others.
      hello.set_max_matches(leaving_ ? -1 : Bot::max_matches);
      stream_ = stream.get();
      if (!closed_) stream->Write(request);
    }
    PlayResponse response;
    while (stream->Read(&response)) {
      const std::lock_guard lock(mutex_);
      if (!welcomed_) welcomed_ = Clock::now();
      lost_at_.reset();
      if (const PlayRequest reply = reply_to(response); reply.ByteSizeLong() > 0 && !closed_) {
        stream->Write(reply);
      }
      for (const End& end : response.ends()) ended(end);
      close_when_done();
    }
    {
      const std::lock_guard lock(mutex_);
      stream_ = nullptr;
      context_ = nullptr;
    }
    const grpc::Status status = stream->Finish();
    const auto& trailing = context.GetServerTrailingMetadata();
    const auto asked = trailing.find("retry-after");
    const auto said = asked == trailing.end() ? grpc::string_ref() : asked->second;
    retry_after_ = std::atoi(std::string(said.begin(), said.end()).c_str());
    return status;
  }

  void close_when_done() {
    if (!gone() || closed_) return;
    closed_ = true;
    if (stream_) {
      stream_->WritesDone();
    } else {
      context_->TryCancel();  // it is still being opened
    }
    // A referee that does not close its side is not waited for.
    std::thread([] {
      std::this_thread::sleep_for(goodbye);
      _exit(stopped("Stopped.", 0));
    }).detach();
  }

  /** Ends a leaving bot if no referee welcomes it in time after a loss. */
  void give_up_later() {
    if (!leaving_ || !lost_at_) return;
    std::thread([this, lost_at = lost_at_] {
      std::this_thread::sleep_until(*lost_at + adoption);
      const std::lock_guard lock(mutex_);
      if (lost_at_ == lost_at) _exit(stopped("Stopped.", 0));
    }).detach();
  }

  /** Notes where the referees are. A program that was given a socket may have no network. */
  void told(const Referees& referees) {
    if (addresses_.front().starts_with("unix:")) return;
    addresses_.resize(1);
    for (const std::string& address : referees.addresses()) {
      if (address != addresses_.front()) addresses_.push_back(address);
    }
  }

  /** Handles everything but ends, and returns what there is to say. */
  PlayRequest reply_to(const PlayResponse& response) {
    PlayRequest request;
    if (response.has_referees()) told(response.referees());
    if (response.has_welcome()) {
      lost_ = std::move(matches_);
      matches_.clear();
      told(response.welcome().referees());
      const Welcome& welcome = response.welcome();
      std::cerr << "Connected as " << welcome.entrant().bot() << " " << welcome.entrant().version()
                << ", up to " << welcome.max_matches() << " matches at once." << std::endl;
      drains_ = welcome.knows_drain();
      // The wish of the stream before was lost with it.
      if (leaving_ && drains_) request.mutable_drain();
    }
    for (const Resume& resume : response.resumes()) {
      const Offer& offer = resume.offer();
      if (auto known = lost_.extract(offer.match_id())) {
        matches_.insert(std::move(known));
      } else {
        matches_.emplace(offer.match_id(), Match{offer, resume.entropy(), Bot(offer)});
      }
    }
    for (const Offer& offer : response.offers()) {
      if (leaving_ && !drains_) {
        request.add_declines()->set_match_id(offer.match_id());
        continue;
      }
      std::string entropy(16, '\0');
      if (RAND_bytes(reinterpret_cast<unsigned char*>(entropy.data()), 16) != 1) std::abort();
      matches_.insert_or_assign(offer.match_id(), Match{offer, entropy, Bot(offer)});
      Join& join = *request.add_joins();
      join.set_match_id(offer.match_id());
      join.set_entropy(entropy);
    }
    for (const Withdrawal& withdrawal : response.withdrawals()) {
      if (forget(withdrawal.match_id())) {
        std::cerr << "Match " << withdrawal.match_id() << " was called off: " << withdrawal.reason()
                  << std::endl;
      }
    }
    for (const Refusal& refusal : response.refusals()) {
      std::cerr << "Fault " << refusal.faults() << " in match " << refusal.match_id() << ", turn "
                << refusal.turn_number() << ": " << refusal.reason() << " " << refusal.legal()
                << std::endl;
    }
    for (const Turn& turn : response.turns()) answer(turn, *request.add_answers());
    return request;
  }

  /** Asks the bot. An answer without an action is refused at once, so that the others need not wait
   * for the end of our time. */
  void answer(const Turn& turn, Answer& answer) {
    answer.set_match_id(turn.match_id());
    answer.set_turn_number(turn.turn_number());
    const auto match = matches_.find(turn.match_id());
    if (match == matches_.end()) return;
    try {
      *answer.mutable_action() = match->second.bot.act(turn);
    } catch (const std::exception& error) {
      answer.clear_action();
      std::cerr << "The bot failed in match " << turn.match_id() << ", turn " << turn.turn_number()
                << ": " << error.what() << std::endl;
    }
  }

  void ended(const End& end) {
    const auto match = forget(end.match_id());
    if (!match) return;  // an earlier run of the program played it
    if (const auto error = match->error(end.transcript())) {
      std::cerr << "Match " << end.match_id() << ": verification failed: " << *error
                << std::endl;
    }
  }

  std::optional<Match> forget(const std::string& match_id) {
    for (auto* matches : {&matches_, &lost_}) {
      if (auto found = matches->extract(match_id)) return std::move(found.mapped());
    }
    return std::nullopt;
  }

  const std::string token_;
  std::minstd_rand random_{std::random_device{}()};
  double retry_after_ = 0;  // so many seconds the referee wants to be left alone

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::string address_;  // of the referee that is tried or connected
  std::vector<std::string> addresses_;  // of the referees: the one given, then those that were told
  std::map<std::string, Match> matches_;
  std::map<std::string, Match> lost_;  // of the stream before, not resumed
  grpc::ClientContext* context_ = nullptr;  // of a stream, also of one that is being opened
  grpc::ClientReaderWriter<PlayRequest, PlayResponse>* stream_ = nullptr;  // once it is opened
  bool closed_ = false;  // our side of the stream
  bool leaving_ = false;
  bool drains_ = false;  // whether the referee knows `drain`
  bool asked_to_stop_ = false;
  std::optional<Clock::time_point> welcomed_;
  std::optional<Clock::time_point> lost_at_;  // the last stream, until another is welcomed
};

}  // namespace

int run() {
  std::string token = setting("ARENA_TOKEN");
  std::erase_if(token, [](unsigned char letter) { return std::isspace(letter); });
  if (token.empty()) {
    std::cerr << "Set ARENA_TOKEN to the bot's token (`arena bot new` prints it)." << std::endl;
    return 2;
  }
  sigset_t signals;  // for the thread below alone
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  Connection connection(setting("ARENA_ADDRESS", "127.0.0.1:50051"), token);
  std::thread([&] {
    for (int signal; sigwait(&signals, &signal) == 0;) connection.stop();
  }).detach();
  const int code = connection.play();
  std::cerr.flush();
  _exit(code);  // without waiting for the thread of the signals
}
