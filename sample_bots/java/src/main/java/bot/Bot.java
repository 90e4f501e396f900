package bot;

import arena.v1.Action;
import arena.v1.BloeffAction;
import arena.v1.BloeffActionCard;
import arena.v1.BloeffBallot;
import arena.v1.BloeffCard;
import arena.v1.BloeffNumber;
import arena.v1.BloeffOptions;
import arena.v1.BloeffRed;
import arena.v1.BloeffView;
import arena.v1.BluffAction;
import arena.v1.BluffBet;
import arena.v1.BluffDoubt;
import arena.v1.BluffFace;
import arena.v1.BluffView;
import arena.v1.BluffYouAction;
import arena.v1.BluffYouAnswer;
import arena.v1.BluffYouGive;
import arena.v1.BluffYouOptions;
import arena.v1.BluffYouSteal;
import arena.v1.BluffYouStop;
import arena.v1.BluffYouSwap;
import arena.v1.BluffYouTake;
import arena.v1.BluffYouView;
import arena.v1.BluffYouWin;
import arena.v1.Offer;
import arena.v1.Turn;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A bot for Bluff, Bluff You! and Blöff: it plays what is likeliest, given what it sees.
 *
 * <p>This is the file to change. Connection talks to the referee, Dealing checks every match. An
 * object plays one match in one seat: what it keeps belongs to that match.
 */
final class Bot {
  static final List<String> GAMES = List.of("bluff", "bluff_you", "bloeff");

  /** How many matches it plays at once, 1 to 64. */
  static final int MAX_MATCHES = 16;

  private final Offer offer;

  /** Called for every match. At this moment the offer may name nobody but this bot. */
  Bot(Offer offer) {
    this.offer = offer;
  }

  /** Answers a turn. An exception counts as a malformed answer: a fault. */
  Action act(Turn turn) {
    var action = Action.newBuilder();
    switch (turn.getView().getGameCase()) {
      case BLUFF -> action.setBluff(bluff(turn.getView().getBluff()));
      case BLUFF_YOU -> action.setBluffYou(bluffYou(turn.getView().getBluffYou()));
      case BLOEFF -> action.setBloeff(bloeff(turn.getView().getBloeff()));
      default -> throw new IllegalArgumentException("a view of an unknown game");
    }
    return action.build();
  }

  // --- Bluff ------------------------------------------------------------------------------------

  private static final int STAR = BluffFace.BLUFF_FACE_STAR_VALUE; // counts for any face bet on

  /** It opens with the highest bet that is at least this likely to be right. */
  private static final double OPENS_AT = 0.6;

  private static BluffAction bluff(BluffView view) {
    if (!view.getCanDoubt()) return BluffAction.newBuilder().setBet(opening(view)).build();
    BluffBet standing = view.getBets(view.getBetsCount() - 1).getBet();
    double doubt = 1 - likelihood(view, standing);
    // On each face the lowest bet is the most likely one, so six are enough to look at.
    BluffBet best = null;
    for (int face = 1; face <= STAR; face++) {
      BluffBet bet = bet(view.getLowest(face - 1), face);
      if (bet.getQuantity() <= view.getHighest()
          && (best == null || likelihood(view, bet) > likelihood(view, best))) {
        best = bet;
      }
    }
    if (best == null || doubt >= likelihood(view, best)) {
      return BluffAction.newBuilder().setDoubt(BluffDoubt.getDefaultInstance()).build();
    }
    return BluffAction.newBuilder().setBet(best).build();
  }

  private static BluffBet bet(int quantity, int face) {
    return BluffBet.newBuilder().setQuantity(quantity).setFaceValue(face).build();
  }

  /** The highest bet that is likely enough; 1 x 1 always is. */
  private static BluffBet opening(BluffView view) {
    BluffBet best = bet(1, 1);
    for (int face = 1; face <= STAR; face++) {
      for (int quantity = 1; quantity <= view.getHighest(); quantity++) {
        BluffBet bet = bet(quantity, face);
        if (quantity > 1 && likelihood(view, bet) < OPENS_AT) break;
        if (field(bet) > field(best)) best = bet;
      }
    }
    return best;
  }

  /** The place on the track: star n lies between the numbers 2n - 1 and 2n. */
  private static int field(BluffBet bet) {
    return bet.getFaceValue() == STAR ? 4 * bet.getQuantity() - 1 : 2 * bet.getQuantity();
  }

  /** The probability that a bet is right: how many dice that this seat cannot see match is binomial. */
  private static double likelihood(BluffView view, BluffBet bet) {
    var seen = new ArrayList<>(view.getHiddenDiceList());
    view.getFaceUpList().forEach(dice -> seen.addAll(dice.getFacesList()));
    long matching =
        seen.stream()
            .filter(die -> die == bet.getFace() || die == BluffFace.BLUFF_FACE_STAR)
            .count();
    int unseen = sum(view.getDiceCountsList()) - seen.size();
    double p = bet.getFaceValue() == STAR ? 1.0 / 6 : 1.0 / 3;
    double chance = 0;
    double exactly = Math.pow(1 - p, unseen); // the probability of `count` matches
    for (int count = 0; count <= unseen; count++) {
      if (count + matching >= bet.getQuantity()) chance += exactly;
      exactly *= (double) (unseen - count) / (count + 1) * p / (1 - p);
    }
    return chance;
  }

  private static int sum(List<Integer> numbers) {
    return numbers.stream().mapToInt(Integer::intValue).sum();
  }

  // --- Bluff You! -------------------------------------------------------------------------------

  private BluffYouAction bluffYou(BluffYouView view) {
    var action = BluffYouAction.newBuilder();
    Comparator<Integer> byPoints = Comparator.comparingInt(this::points);
    List<Integer> own = view.getChips(offer.getSeat()).getNumbersList();
    switch (view.getPhase()) {
      // No sum of three dice is likelier than one in eight.
      case BLUFF_YOU_PHASE_ANSWER -> action.setAnswer(BluffYouAnswer.getDefaultInstance());
      case BLUFF_YOU_PHASE_GIVE ->
          action.setGive(BluffYouGive.newBuilder().setNumber(Collections.min(own, byPoints)));
      case BLUFF_YOU_PHASE_TAKE -> {
        int seer = view.getAnnounced().getSteal().getSeer();
        int dearest = Collections.max(view.getChips(seer).getNumbersList(), byPoints);
        action.setTake(BluffYouTake.newBuilder().setNumber(dearest));
      }
      case BLUFF_YOU_PHASE_SWAP_AGAIN -> action.setStop(BluffYouStop.getDefaultInstance());
      default -> announce(view, own, action);
    }
    return action.build();
  }

  /** The truth if possible, else a swap if possible, else the likeliest number. */
  private void announce(BluffYouView view, List<Integer> own, BluffYouAction.Builder action) {
    int rolled = sum(view.getDiceList());
    int next = (offer.getSeat() + 1) % view.getChipsCount();
    if (view.getWinNumbersList().contains(rolled)) {
      action.setWin(BluffYouWin.newBuilder().setSeer(next).setNumber(rolled));
      return;
    }
    for (int seat = 0; view.getCanSteal() && seat < view.getChipsCount(); seat++) {
      if (seat != offer.getSeat() && view.getChips(seat).getNumbersList().contains(rolled)) {
        action.setSteal(BluffYouSteal.newBuilder().setSeer(seat).setNumber(rolled));
        return;
      }
    }
    if (view.getSwapTargetsCount() > 0) {
      int target = view.getSwapTargets(0);
      List<Integer> give = worth(own, points(target), options().getSwapMinGive());
      action.setSwap(BluffYouSwap.newBuilder().addAllGive(give).setTake(target));
      return;
    }
    Comparator<Integer> byWays = Comparator.comparingInt(Bot::ways);
    int likeliest = Collections.max(view.getWinNumbersList(), byWays);
    action.setWin(BluffYouWin.newBuilder().setSeer(next).setNumber(likeliest));
  }

  /** {@code least} or more of the chips that are worth so many points; null if there are none. */
  private List<Integer> worth(List<Integer> chips, int points, int least) {
    if (points == 0 && least <= 0) return new ArrayList<>();
    for (int at = 0; at < chips.size(); at++) {
      int chip = chips.get(at);
      if (points(chip) > points) continue;
      var more = worth(chips.subList(at + 1, chips.size()), points - points(chip), least - 1);
      if (more != null) {
        more.add(0, chip);
        return more;
      }
    }
    return null;
  }

  private BluffYouOptions options() {
    return offer.getOptions().getBluffYou();
  }

  private int points(int chip) {
    return options().getChipPoints(chip - 3);
  }

  /** How many of the 216 rolls of three dice make a sum. */
  private static int ways(int sum) {
    return (int)
        IntStream.rangeClosed(1, 6)
            .flatMap(one -> IntStream.rangeClosed(1, 6).map(two -> sum - one - two))
            .filter(three -> three >= 1 && three <= 6)
            .count();
  }

  // --- Blöff ------------------------------------------------------------------------------------

  /** The number cards come first. */
  private static boolean isNumber(BloeffCard card) {
    return card.getNumber() <= BloeffCard.BLOEFF_CARD_FOUR_VALUE;
  }

  private BloeffAction bloeff(BloeffView view) {
    if (view.hasBalloted()) {
      boolean doubt = couldBe(view, view.getBalloted().getTotal()) == 0;
      return BloeffAction.newBuilder().setBallot(BloeffBallot.newBuilder().setDoubt(doubt)).build();
    }
    var honest = new ArrayList<BloeffNumber>(); // ascending, as the hand is
    BloeffCard other = null;
    for (BloeffCard card : view.getHandList()) {
      int total = makes(view, card);
      if (!isNumber(card)) {
        if (other == null) other = card;
      } else if (view.getLowest() <= total && total <= view.getHighest()) {
        honest.add(number(card, total));
      }
    }
    BloeffNumber safe = null;
    for (BloeffNumber number : honest) {
      if (number.getAnnounce() <= view.getLimit()) safe = number;
    }
    if (safe == null && other != null) return play(other, view.getHandSizesCount());
    if (safe == null) {
      safe = honest.isEmpty() ? number(view.getHand(0), view.getLowest()) : honest.get(0);
    }
    return BloeffAction.newBuilder().setNumber(safe).build();
  }

  private static BloeffNumber number(BloeffCard card, int announce) {
    // Calling is never a mistake.
    return BloeffNumber.newBuilder().setCard(card).setAnnounce(announce).setCall(true).build();
  }

  /** An action card; a reverse comes first in a hand, and is worth least: it costs nobody a card. */
  private BloeffAction play(BloeffCard card, int seats) {
    var action = BloeffAction.newBuilder();
    if (card == BloeffCard.BLOEFF_CARD_REVERSE) {
      action.setActionCard(BloeffActionCard.newBuilder().setCard(card).setCall(true));
    } else {
      int target = (offer.getSeat() + 1) % seats;
      action.setRed(BloeffRed.newBuilder().setCard(card).setTarget(target).setCall(true));
    }
    return action.build();
  }

  /** The honest total of a number card, whose value is its number on the wire minus 3. */
  private int makes(BloeffView view, BloeffCard card) {
    int total = view.getTotal() + card.getNumber() - 3;
    BloeffOptions options = offer.getOptions().getBloeff();
    return options.getBelowZeroIsBluff() ? total : Math.max(0, total);
  }

  /** How many cards that this seat has not seen would make the total honest. */
  private int couldBe(BloeffView view, int total) {
    int count = 0;
    for (var row : offer.getOptions().getBloeff().getDeckList()) {
      if (isNumber(row.getCard()) && makes(view, row.getCard()) == total) count += row.getCount();
    }
    for (var pile : List.of(view.getHandList(), view.getSeenList(), view.getFaceDownList())) {
      for (BloeffCard card : pile) {
        if (isNumber(card) && makes(view, card) == total) count--;
      }
    }
    return count;
  }
}
