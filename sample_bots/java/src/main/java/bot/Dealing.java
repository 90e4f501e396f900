package bot;

import arena.v1.Action;
import arena.v1.BloeffCard;
import arena.v1.BloeffNumber;
import arena.v1.BloeffOptions;
import arena.v1.BluffDice;
import arena.v1.BluffFace;
import arena.v1.Draw;
import arena.v1.Options;
import arena.v1.Step;
import arena.v1.Transcript;
import com.google.protobuf.ByteString;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;

/**
 * Recomputes every draw of a finished match from the opened secret and the entropies of all seats.
 *
 * <p>It does not judge the seats' actions.
 */
final class Dealing {
  /** What is wrong with the dealing of a match, if anything. */
  static Optional<String> error(Transcript transcript) {
    byte[] secret = transcript.getSecret().toByteArray();
    if (!ByteString.copyFrom(sha256(secret)).equals(transcript.getCommitment())) {
      return Optional.of("the secret is not the one committed to");
    }
    var setup = transcript.getSetup();
    int seats = setup.getEntrantsCount();
    if (transcript.getEntropiesCount() != seats) {
      return Optional.of("there is not one entropy for each seat");
    }
    var key = Draws.matchKey(secret, setup.getMatchId(), transcript.getEntropiesList());
    Draws draws = new Draws(key);
    Dealer dealer = dealer(setup.getOptions(), seats);
    for (int index = 0; index < transcript.getStepsCount(); index++) {
      Step step = transcript.getSteps(index);
      int seat = step.getSeat();
      boolean right =
          step.hasDraw()
              ? dealer.drew(step.getDraw(), draws)
              : seat >= 0 && seat < seats && dealer.acted(seat, step.getAction());
      if (!right) {
        return Optional.of("step " + (index + 1) + " does not follow from the opened secret");
      }
    }
    return Optional.empty();
  }

  static byte[] sha256(byte[] data) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(data);
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException(error); // every Java has it
    }
  }

  /** Follows a match as far as its draws depend on it. Both methods say whether all is right. */
  private interface Dealer {
    boolean drew(Draw draw, Draws draws);

    boolean acted(int seat, Action action);
  }

  private static Dealer dealer(Options options, int seats) {
    return switch (options.getGameCase()) {
      case BLUFF -> new BluffDealer(options.getBluff().getStartStarValue(), seats);
      case BLUFF_YOU -> new BluffYouDealer();
      case BLOEFF -> new BloeffDealer(options.getBloeff(), seats);
      default -> throw new IllegalArgumentException("the game is unknown");
    };
  }

  // --- Bluff ------------------------------------------------------------------------------------

  private static final class BluffDealer implements Dealer {
    private final int starValue;
    private int attempt;
    private int round;
    private List<Integer> tied = List.of(); // with the largest total of the last starting roll
    private final int[] rerolls; // by seat, in this round
    private int last; // the seat that acted last

    BluffDealer(int starValue, int seats) {
      this.starValue = starValue;
      rerolls = new int[seats];
    }

    @Override
    public boolean acted(int seat, Action action) {
      last = seat;
      return true;
    }

    @Override
    public boolean drew(Draw draw, Draws draws) {
      var bluff = draw.getBluff();
      return switch (bluff.getDrawCase()) {
        case STARTING_ROLL -> {
          tied = largest(bluff.getStartingRoll().getDiceList());
          yield rolled(draws, "start " + ++attempt, bluff.getStartingRoll().getDiceList());
        }
        case OPENER_DRAW ->
            !tied.isEmpty()
                && tied.get(draws.below("opener", tied.size())) == bluff.getOpenerDraw().getSeat();
        case ROLL -> {
          Arrays.fill(rerolls, 0);
          yield rolled(draws, "round " + ++round, bluff.getRoll().getDiceList());
        }
        case REROLL -> {
          String key = "round " + round + " seat " + last + " reroll " + ++rerolls[last];
          yield rolledOne(draws, key, bluff.getReroll().getDice());
        }
        default -> false;
      };
    }

    private List<Integer> largest(List<BluffDice> dice) {
      var seats = new ArrayList<Integer>();
      int most = -1;
      for (int seat = 0; seat < dice.size(); seat++) {
        if (dice.get(seat).getFacesCount() == 0) continue;
        int total = 0;
        for (BluffFace face : dice.get(seat).getFacesList()) {
          total += face == BluffFace.BLUFF_FACE_STAR ? starValue : face.getNumber();
        }
        if (total > most) seats.clear();
        if (total >= most) seats.add(seat);
        most = Math.max(most, total);
      }
      return seats;
    }

    private static boolean rolled(Draws draws, String key, List<BluffDice> dice) {
      for (int seat = 0; seat < dice.size(); seat++) {
        if (!rolledOne(draws, key + " seat " + seat, dice.get(seat))) return false;
      }
      return true;
    }

    private static boolean rolledOne(Draws draws, String key, BluffDice dice) {
      var drawn = new ArrayList<Integer>();
      for (int die = 0; die < dice.getFacesCount(); die++) {
        drawn.add(draws.below(key + " die " + die, 6) + 1);
      }
      drawn.sort(null);
      return drawn.equals(dice.getFacesValueList());
    }
  }

  // --- Bluff You! -------------------------------------------------------------------------------

  private static final class BluffYouDealer implements Dealer {
    private int turn;

    @Override
    public boolean acted(int seat, Action action) {
      return true;
    }

    @Override
    public boolean drew(Draw draw, Draws draws) {
      turn++;
      var drawn = new ArrayList<Integer>();
      for (int die = 0; die < 3; die++) {
        drawn.add(draws.below("turn " + turn + " die " + die, 6) + 1);
      }
      return drawn.equals(draw.getBluffYou().getRoll().getDiceList());
    }
  }

  // --- Blöff ------------------------------------------------------------------------------------

  /** Counts turns, skipped ones included, because the doubter's key names the turn. */
  private static final class BloeffDealer implements Dealer {
    private final BloeffOptions options;
    private final int seats;
    private final List<Queue<BloeffCard>> waiting = new ArrayList<>(); // red cards, oldest first
    private boolean clockwise = true;
    private int turn;
    private int round;
    private int total;
    private int reshuffles;
    private int player; // of the card that is balloted
    private BloeffNumber played; // it, or null
    private int ballots;
    private final List<Integer> doubters = new ArrayList<>();

    BloeffDealer(BloeffOptions options, int seats) {
      this.options = options;
      this.seats = seats;
      for (int seat = 0; seat < seats; seat++) waiting.add(new ArrayDeque<>());
      beginTurn(options.getFirstSeat());
    }

    @Override
    public boolean drew(Draw draw, Draws draws) {
      var bloeff = draw.getBloeff();
      switch (bloeff.getDrawCase()) {
        case DEAL -> {
          var deck = new ArrayList<Integer>();
          for (var row : options.getDeckList()) {
            for (int card = 0; card < row.getCount(); card++) deck.add(row.getCardValue());
          }
          return shuffled(draws, "deal", deck, bloeff.getDeal().getCardsValueList());
        }
        case RESHUFFLE -> {
          List<Integer> cards = bloeff.getReshuffle().getCardsValueList();
          return shuffled(draws, "recycle " + ++reshuffles, new ArrayList<>(cards), cards);
        }
        case DOUBTER -> {
          if (played == null || doubters.size() < 2) return false;
          int doubter = doubters.get(draws.below("doubter " + turn, doubters.size()));
          doubted(doubter);
          return bloeff.getDoubter().getSeat() == doubter;
        }
        default -> {
          return false;
        }
      }
    }

    /** Whether the cards, in ascending order at first, are in the drawn order. */
    private static boolean shuffled(
        Draws draws, String key, List<Integer> cards, List<Integer> drawn) {
      cards.sort(null);
      draws.shuffle(key, cards);
      return cards.equals(drawn);
    }

    @Override
    public boolean acted(int seat, Action action) {
      var bloeff = action.getBloeff();
      switch (bloeff.getActionCase()) {
        case NUMBER -> {
          if (round >= options.getLimitsCount()) return false;
          if (bloeff.getNumber().getAnnounce() > options.getLimits(round)) {
            beginRound(seat);
          } else {
            player = seat;
            played = bloeff.getNumber();
            ballots = 0;
            doubters.clear();
          }
        }
        case RED -> {
          int target = bloeff.getRed().getTarget();
          if (target < 0 || target >= seats) return false;
          waiting.get(target).add(bloeff.getRed().getCard());
          beginTurn(after(seat));
        }
        case ACTION_CARD -> {
          clockwise = !clockwise;
          beginTurn(after(seat));
        }
        case BALLOT -> {
          if (bloeff.getBallot().getDoubt()) doubters.add(seat);
          if (++ballots == seats - 1) allVoted();
        }
        default -> {
          return false;
        }
      }
      return true;
    }

    private void allVoted() {
      if (played == null) return;
      if (doubters.isEmpty()) {
        total = played.getAnnounce();
        beginTurn(after(player));
      } else if (doubters.size() == 1) {
        doubted(doubters.get(0));
      } else if (options.getDoubtInTurnOrder()) {
        int seat = after(player);
        while (!doubters.contains(seat)) seat = after(seat);
        doubted(seat);
      } // else the dealer draws one of them
    }

    private void doubted(int doubter) {
      int honest = total + played.getCardValue() - 3;
      if (!options.getBelowZeroIsBluff()) honest = Math.max(0, honest);
      beginRound(played.getAnnounce() == honest ? player : doubter);
    }

    private void beginRound(int seat) {
      round++;
      total = 0;
      beginTurn(seat);
    }

    private void beginTurn(int seat) {
      turn++;
      played = null;
      for (BloeffCard card; (card = waiting.get(seat).poll()) != null; ) {
        if (card == BloeffCard.BLOEFF_CARD_SKIP || options.getDraw2EndsTurn()) {
          beginTurn(after(seat));
          return;
        }
      }
    }

    private int after(int seat) {
      return (seat + (clockwise ? 1 : seats - 1)) % seats;
    }
  }

  private Dealing() {}
}
