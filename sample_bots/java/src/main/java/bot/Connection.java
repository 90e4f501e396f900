package bot;

import arena.v1.Answer;
import arena.v1.Decline;
import arena.v1.Drain;
import arena.v1.End;
import arena.v1.Hello;
import arena.v1.Join;
import arena.v1.Offer;
import arena.v1.PlayRequest;
import arena.v1.PlayResponse;
import arena.v1.RefereeServiceGrpc;
import arena.v1.Referees;
import arena.v1.Transcript;
import arena.v1.Turn;
import com.google.protobuf.ByteString;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Pattern;
import sun.misc.Signal;

/** The stream to the referee: joins, asks the bot, reconnects, and checks every finished match. */
final class Connection {
  /** Addresses on this machine. */
  private static final Pattern LOCAL = Pattern.compile("unix:|localhost:|127\\.|\\[::1\\]:");

  private static final double FIRST_PAUSE = 0.5; // seconds before the next attempt to connect
  private static final double LONGEST_PAUSE = 30;
  private static final double LASTING = 5; // so long a stream makes the next pause short again
  private static final double GOODBYE = 2; // that a leaving bot waits for the referee to close
  private static final double ADOPTION = 20; // so soon lost matches are resumed elsewhere
  private static final int MAX_MESSAGE_BYTES = 16 << 20;
  private static final Metadata.Key<String> RETRY_AFTER =
      Metadata.Key.of("retry-after", Metadata.ASCII_STRING_MARSHALLER);

  /** Statuses after which connecting again is useless. */
  private static final Set<Status.Code> FINAL =
      Set.of(
          Status.Code.UNAUTHENTICATED,
          Status.Code.PERMISSION_DENIED,
          Status.Code.INVALID_ARGUMENT,
          Status.Code.UNIMPLEMENTED);

  /** A match that the bot has joined, and what it joined with. */
  private record Match(Offer offer, ByteString entropy, Bot bot) {}

  /** What may happen: a response, the end of the stream, or a request to stop. */
  private sealed interface Happening {}

  private record Received(PlayResponse response) implements Happening {}

  private record Ended(Status status, double retryAfter) implements Happening {}

  private record Stop() implements Happening {}

  private final List<String> games;
  private final int maxMatches;
  private final Function<Offer, Bot> newBot;
  private final SecureRandom random = new SecureRandom();
  private final BlockingQueue<Happening> happenings = new LinkedBlockingQueue<>();
  private final List<String> addresses = new ArrayList<>(); // of the referees, the one given first
  private Map<String, Match> matches = new HashMap<>();
  private Map<String, Match> lost = new HashMap<>(); // of the stream before, not resumed
  private boolean leaving;
  private boolean drains; // whether the referee knows `drain`
  private double welcomed; // when
  private double lostAt = Double.POSITIVE_INFINITY; // until another stream is welcomed

  private Connection(List<String> games, int maxMatches, Function<Offer, Bot> newBot) {
    this.games = games;
    this.maxMatches = maxMatches;
    this.newBot = newBot;
  }

  /**
   * Plays until Ctrl-C. After the first one (or SIGTERM) the running matches are finished; the second
   * leaves at once. Ends the program, with code 2 if the referee refuses the bot.
   */
  static void run(List<String> games, int maxMatches, Function<Offer, Bot> newBot) {
    String token = System.getenv().getOrDefault("ARENA_TOKEN", "").strip();
    if (token.isEmpty()) {
      exit("Set ARENA_TOKEN to the bot's token (`arena bot new` prints it).", 2);
    }
    String address = System.getenv().getOrDefault("ARENA_ADDRESS", "127.0.0.1:50051");
    try {
      new Connection(games, maxMatches, newBot).play(address, token);
    } catch (InterruptedException error) {
      exit("Stopped.", 0);
    }
  }

  private static void exit(String sentence, int code) {
    System.err.println(sentence);
    System.exit(code);
  }

  private void play(String address, String token) throws InterruptedException {
    for (String signal : List.of("INT", "TERM")) {
      Signal.handle(new Signal(signal), received -> happenings.add(new Stop()));
    }
    addresses.add(address);
    for (double pause = FIRST_PAUSE; ; pause = Math.min(pause * 4 / 3, LONGEST_PAUSE)) {
      Ended ended = playOnce(address, token);
      Status status = ended.status();
      String why = Optional.ofNullable(status.getDescription()).orElse("stream closed");
      if (leaving && (status.isOk() || matches.isEmpty())) exit("Stopped.", 0);
      if (status.getCode() == Status.Code.ABORTED) exit("Stopped: " + why, 0);
      if (FINAL.contains(status.getCode())) exit("The referee refused this bot: " + why, 2);
      if (welcomed < Double.POSITIVE_INFINITY) lostAt = now();
      if (now() - welcomed >= LASTING) pause = FIRST_PAUSE;
      double jittered = pause * ThreadLocalRandom.current().nextDouble(0.5, 1);
      double wait = Math.max(jittered, ended.retryAfter());
      System.err.printf(
          "Not connected to %s (%s); again in %.1f s. ARENA_ADDRESS says which referee.%n",
          address, why, wait);
      // Nothing comes from a stream after its end, so what comes here is a request to stop.
      if (next(Math.min(wait, patience())) != null) exit("Stopped.", leaving ? 130 : 0);
      if (patience() <= 0) exit("Stopped.", 0);
      // When a referee is gone, another goes on with its matches.
      address = addresses.get((addresses.indexOf(address) + 1) % addresses.size());
    }
  }

  /**
   * Whether it is time to close our side of the stream. A referee that drains the bot closes the
   * stream itself.
   */
  private boolean gone() {
    return leaving && !drains && matches.isEmpty();
  }

  private static double now() {
    return System.nanoTime() / 1e9;
  }

  /** How many seconds are left until a leaving bot that no referee has welcomed gives up. */
  private double patience() {
    return leaving ? lostAt + ADOPTION - now() : Double.POSITIVE_INFINITY;
  }

  /** What happens next; null if nothing does within these seconds. */
  private Happening next(double seconds) throws InterruptedException {
    return happenings.poll((long) (seconds * 1000), TimeUnit.MILLISECONDS);
  }

  /** Plays over one stream until it ends, and returns how it did. */
  private Ended playOnce(String address, String token) throws InterruptedException {
    boolean encrypted = address.startsWith("https://");
    String target = address.replaceFirst("^https://", "");
    ManagedChannelBuilder<?> builder =
        Grpc.newChannelBuilder(
                target,
                encrypted ? TlsChannelCredentials.create() : InsecureChannelCredentials.create())
            .maxInboundMessageSize(MAX_MESSAGE_BYTES)
            .keepAliveTime(1, TimeUnit.MINUTES);
    // No proxy of the environment reaches this machine.
    if (LOCAL.matcher(target).lookingAt()) builder.proxyDetector(any -> null);
    ManagedChannel channel = builder.build();
    var metadata = new Metadata();
    metadata.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
    welcomed = Double.POSITIVE_INFINITY;
    drains = false;
    try {
      StreamObserver<PlayRequest> requests =
          RefereeServiceGrpc.newStub(channel)
              .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata))
              .play(queueing());
      requests.onNext(hello());
      return converse(requests);
    } finally {
      channel.shutdownNow();
    }
  }

  private StreamObserver<PlayResponse> queueing() {
    return new StreamObserver<>() {
      @Override
      public void onNext(PlayResponse response) {
        happenings.add(new Received(response));
      }

      @Override
      public void onError(Throwable error) {
        Metadata trailers = Status.trailersFromThrowable(error);
        String said = trailers == null ? null : trailers.get(RETRY_AFTER);
        boolean seconds = said != null && said.matches("[0-9]{1,9}");
        happenings.add(
            new Ended(Status.fromThrowable(error), seconds ? Integer.parseInt(said) : 0));
      }

      @Override
      public void onCompleted() {
        happenings.add(new Ended(Status.OK, 0));
      }
    };
  }

  private PlayRequest hello() {
    var hello =
        Hello.newBuilder()
            .setProtocolVersion(1)
            .setInstance(System.getenv().getOrDefault("ARENA_INSTANCE", ""))
            .addAllGames(games)
            // A bot that leaves comes back for its matches alone: -1 asks for no others.
            .setMaxMatches(leaving ? -1 : maxMatches)
            .setClient("starter, Java");
    return PlayRequest.newBuilder().setHello(hello).build();
  }

  private Ended converse(StreamObserver<PlayRequest> requests) throws InterruptedException {
    boolean closed = false;
    while (true) {
      if (gone() && !closed) {
        requests.onCompleted();
        closed = true;
      }
      Happening next = next(closed ? GOODBYE : patience());
      if (next == null) return new Ended(Status.OK, 0);
      if (next instanceof Ended ended) return ended;
      if (next instanceof Stop) {
        if (leaving) exit("Stopped.", 130);
        leaving = true;
        if (drains) {
          requests.onNext(PlayRequest.newBuilder().setDrain(Drain.getDefaultInstance()).build());
        }
        System.err.printf(
            "Finishing %d matches; Ctrl-C again leaves at once.%n", matches.size());
      } else if (next instanceof Received received) {
        welcomed = Math.min(welcomed, now());
        lostAt = Double.POSITIVE_INFINITY;
        PlayRequest request = reply(received.response());
        if (request.getSerializedSize() > 0 && !closed) requests.onNext(request);
        received.response().getEndsList().forEach(this::ended);
      }
    }
  }

  /** Notes where the referees are. A program that was given a socket may have no network. */
  private void told(Referees referees) {
    String given = addresses.get(0);
    if (given.startsWith("unix:")) return;
    addresses.subList(1, addresses.size()).clear();
    referees.getAddressesList().stream().filter(one -> !one.equals(given)).forEach(addresses::add);
  }

  /** Handles everything but ends, and returns what there is to say. */
  private PlayRequest reply(PlayResponse response) {
    var request = PlayRequest.newBuilder();
    if (response.hasReferees()) told(response.getReferees());
    if (response.hasWelcome()) {
      lost = matches;
      matches = new HashMap<>();
      told(response.getWelcome().getReferees());
      var welcome = response.getWelcome();
      System.err.printf(
          "Connected as %s %s; playing %s, up to %d matches at once.%n",
          welcome.getEntrant().getBot(),
          welcome.getEntrant().getVersion(),
          String.join(", ", welcome.getGamesList()),
          welcome.getMaxMatches());
      drains = welcome.getKnowsDrain();
      // The wish of the stream before was lost with it.
      if (leaving && drains) request.setDrain(Drain.getDefaultInstance());
    }
    for (var resume : response.getResumesList()) {
      Offer offer = resume.getOffer();
      Match known = lost.remove(offer.getMatchId());
      matches.put(
          offer.getMatchId(),
          known != null ? known : new Match(offer, resume.getEntropy(), newBot.apply(offer)));
    }
    for (Offer offer : response.getOffersList()) {
      if (leaving && !drains) {
        request.addDeclines(Decline.newBuilder().setMatchId(offer.getMatchId()));
        continue;
      }
      byte[] bytes = new byte[16];
      random.nextBytes(bytes);
      ByteString entropy = ByteString.copyFrom(bytes);
      matches.put(offer.getMatchId(), new Match(offer, entropy, newBot.apply(offer)));
      request.addJoins(Join.newBuilder().setMatchId(offer.getMatchId()).setEntropy(entropy));
    }
    for (var withdrawal : response.getWithdrawalsList()) {
      if (forget(withdrawal.getMatchId()) != null) {
        System.err.printf(
            "Match %s was called off: %s%n", withdrawal.getMatchId(), withdrawal.getReason());
      }
    }
    for (var refusal : response.getRefusalsList()) {
      System.err.printf(
          "Fault %d in match %s, turn %d: %s %s%n",
          refusal.getFaults(),
          refusal.getMatchId(),
          refusal.getTurnNumber(),
          refusal.getReason(),
          refusal.getLegal());
    }
    response.getTurnsList().forEach(turn -> request.addAnswers(answer(turn)));
    return request.build();
  }

  /**
   * Asks the bot. An answer without an action is refused at once, so that the others need not wait
   * for the end of our time.
   */
  private Answer answer(Turn turn) {
    var answer =
        Answer.newBuilder().setMatchId(turn.getMatchId()).setTurnNumber(turn.getTurnNumber());
    Match match = matches.get(turn.getMatchId());
    try {
      if (match != null) answer.setAction(match.bot().act(turn));
    } catch (RuntimeException error) {
      System.err.printf(
          "The bot failed in match %s, turn %d:%n", turn.getMatchId(), turn.getTurnNumber());
      error.printStackTrace();
    }
    return answer.build();
  }

  private void ended(End end) {
    Match match = forget(end.getMatchId());
    if (match == null) return; // an earlier run of the program played it
    Optional<String> wrong;
    try {
      wrong = wrong(match, end.getTranscript());
    } catch (RuntimeException error) {
      wrong = Optional.of(error.toString());
    }
    wrong.ifPresent(
        why ->
            System.err.printf("Match %s: verification failed: %s%n", end.getMatchId(), why));
  }

  private Match forget(String matchId) {
    Match match = matches.remove(matchId);
    return match != null ? match : lost.remove(matchId);
  }

  /** What is wrong with a finished match, if anything. */
  private static Optional<String> wrong(Match match, Transcript transcript) {
    Offer offer = match.offer();
    var setup = transcript.getSetup();
    if (!setup.getMatchId().equals(offer.getMatchId())
        || !setup.getOptions().equals(offer.getOptions())) {
      return Optional.of("the match is not the one offered");
    }
    if (!transcript.getCommitment().equals(offer.getCommitment())) {
      return Optional.of("the commitment is not the one offered");
    }
    if (!match.entropy().isEmpty()
        && (offer.getSeat() >= transcript.getEntropiesCount()
            || !transcript.getEntropies(offer.getSeat()).equals(match.entropy()))) {
      return Optional.of("it was not dealt with the entropy that this bot sent");
    }
    return Dealing.error(transcript);
  }
}
