package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	pb "bluffarena.example/bot/arenav1"
)

// CheckDealing recomputes every draw of a finished match from the opened secret and the entropies of
// all seats. It does not judge the seats' actions. docs/transcript.md has the formulas.
func CheckDealing(match *pb.Transcript) error {
	if digest := sha256.Sum256(match.GetSecret()); !bytes.Equal(digest[:], match.GetCommitment()) {
		return errors.New("the secret is not the one committed to")
	}
	seats := len(match.GetSetup().GetEntrants())
	if len(match.GetEntropies()) != seats {
		return errors.New("there is not one entropy for each seat")
	}
	draws := Draws{matchKey(match.GetSecret(), match.GetSetup().GetMatchId(), match.GetEntropies())}
	var dealer dealer
	switch options := match.GetSetup().GetOptions().GetGame().(type) {
	case *pb.Options_Bluff:
		dealer = newBluffDealer(options.Bluff, seats)
	case *pb.Options_BluffYou:
		dealer = &bluffYouDealer{}
	case *pb.Options_Bloeff:
		dealer = newBloeffDealer(options.Bloeff, seats)
	default:
		return errors.New("the game is unknown")
	}
	for index, step := range match.GetSteps() {
		if seat := step.GetSeat(); seat < 0 || int(seat) >= seats {
			return fmt.Errorf("step %d: there is no such seat", index+1)
		}
		right := true
		if step.GetDraw() != nil {
			right = dealer.drew(step.GetDraw(), draws)
		} else {
			right = dealer.acted(int(step.GetSeat()), step.GetAction())
		}
		if !right {
			return fmt.Errorf("step %d does not follow from the opened secret", index+1)
		}
	}
	return nil
}

// Draws computes the draws of a match from its key.
type Draws struct{ key []byte }

func matchKey(secret []byte, matchID string, entropies [][]byte) []byte {
	mac := hmac.New(sha256.New, secret)
	for _, part := range append([][]byte{[]byte(matchID)}, entropies...) {
		mac.Write(binary.BigEndian.AppendUint32(nil, uint32(len(part))))
		mac.Write(part)
	}
	return mac.Sum(nil)
}

// Below is the number from 0 to bound-1 that is drawn under a key.
func (draws Draws) Below(key string, bound int) int {
	span := uint64(bound)
	incomplete := -span % span // 2^64 mod bound
	for attempt := 0; ; attempt++ {
		mac := hmac.New(sha256.New, draws.key)
		fmt.Fprintf(mac, "%s#%d", key, attempt)
		if number := binary.BigEndian.Uint64(mac.Sum(nil)); number <= -incomplete-1 {
			return int(number % span)
		}
	}
}

// Shuffle shuffles a list in place.
func Shuffle[T any](draws Draws, key string, list []T) {
	for last := len(list) - 1; last > 0; last-- {
		other := draws.Below(fmt.Sprintf("%s %d", key, last), last+1)
		list[last], list[other] = list[other], list[last]
	}
}

// dealer follows a match as far as its draws depend on it. Both methods say whether all is right.
type dealer interface {
	drew(draw *pb.Draw, draws Draws) bool
	acted(seat int, action *pb.Action) bool
}

// --- Bluff --------------------------------------------------------------------------------------

type bluffDealer struct {
	options        *pb.BluffOptions
	attempt, round int
	tied           []int // seats with the largest total of the last starting roll
	rerolls        []int // by seat, in this round
	last           int   // the seat that acted last
}

func newBluffDealer(options *pb.BluffOptions, seats int) *bluffDealer {
	return &bluffDealer{options: options, rerolls: make([]int, seats)}
}

func (dealer *bluffDealer) acted(seat int, _ *pb.Action) bool {
	dealer.last = seat
	return true
}

func (dealer *bluffDealer) drew(draw *pb.Draw, draws Draws) bool {
	switch draw := draw.GetBluff().GetDraw().(type) {
	case *pb.BluffDraw_StartingRoll:
		dealer.attempt++
		dealer.tied = dealer.largest(draw.StartingRoll.GetDice())
		return rolled(draws, fmt.Sprintf("start %d", dealer.attempt), draw.StartingRoll.GetDice())
	case *pb.BluffDraw_OpenerDraw:
		tied := dealer.tied
		return len(tied) > 0 &&
			int(draw.OpenerDraw.GetSeat()) == tied[draws.Below("opener", len(tied))]
	case *pb.BluffDraw_Roll:
		dealer.round++
		clear(dealer.rerolls)
		return rolled(draws, fmt.Sprintf("round %d", dealer.round), draw.Roll.GetDice())
	case *pb.BluffDraw_Reroll:
		seat := dealer.last
		dealer.rerolls[seat]++
		key := fmt.Sprintf("round %d seat %d reroll %d", dealer.round, seat, dealer.rerolls[seat])
		faces := draw.Reroll.GetDice().GetFaces()
		return slices.Equal(faces, roll(draws, key, len(faces)))
	}
	return false
}

func (dealer *bluffDealer) largest(dice []*pb.BluffDice) (seats []int) {
	most := int32(-1)
	for seat, own := range dice {
		total := int32(0)
		for _, face := range own.GetFaces() {
			if face == star {
				total += dealer.options.GetStartStarValue()
			} else {
				total += int32(face)
			}
		}
		if len(own.GetFaces()) > 0 && total >= most {
			if total > most {
				most, seats = total, nil
			}
			seats = append(seats, seat)
		}
	}
	return seats
}

func rolled(draws Draws, key string, dice []*pb.BluffDice) bool {
	for seat, own := range dice {
		faces := own.GetFaces()
		if !slices.Equal(faces, roll(draws, fmt.Sprintf("%s seat %d", key, seat), len(faces))) {
			return false
		}
	}
	return true
}

func roll(draws Draws, key string, count int) []pb.BluffFace {
	dice := make([]pb.BluffFace, count)
	for die := range dice {
		dice[die] = pb.BluffFace(draws.Below(fmt.Sprintf("%s die %d", key, die), 6) + 1)
	}
	slices.Sort(dice)
	return dice
}

// --- Bluff You! ---------------------------------------------------------------------------------

type bluffYouDealer struct{ turn int }

func (dealer *bluffYouDealer) acted(int, *pb.Action) bool { return true }

func (dealer *bluffYouDealer) drew(draw *pb.Draw, draws Draws) bool {
	dealer.turn++
	dice := draw.GetBluffYou().GetRoll().GetDice()
	for die, face := range dice {
		key := fmt.Sprintf("turn %d die %d", dealer.turn, die)
		if int(face) != draws.Below(key, 6)+1 {
			return false
		}
	}
	return len(dice) == 3
}

// --- Blöff --------------------------------------------------------------------------------------

// bloeffDealer counts turns, skipped ones included, because the doubter's key names the turn.
type bloeffDealer struct {
	options     *pb.BloeffOptions
	seats       int
	waiting     [][]pb.BloeffCard // red cards in front of each seat, oldest first
	clockwise   bool
	turn, round int
	total       int32
	reshuffles  int
	player      int              // of the card that is balloted
	played      *pb.BloeffNumber // it, or nil
	ballots     int
	doubters    []int
}

func newBloeffDealer(options *pb.BloeffOptions, seats int) *bloeffDealer {
	dealer := &bloeffDealer{options: options, seats: seats, clockwise: true}
	dealer.waiting = make([][]pb.BloeffCard, seats)
	dealer.beginTurn(int(options.GetFirstSeat()))
	return dealer
}

func (dealer *bloeffDealer) drew(draw *pb.Draw, draws Draws) bool {
	switch draw := draw.GetBloeff().GetDraw().(type) {
	case *pb.BloeffDraw_Deal:
		var deck []pb.BloeffCard
		for _, row := range dealer.options.GetDeck() {
			for range row.GetCount() {
				deck = append(deck, row.GetCard())
			}
		}
		return shuffled(draws, "deal", deck, draw.Deal.GetCards())
	case *pb.BloeffDraw_Reshuffle:
		dealer.reshuffles++
		cards := draw.Reshuffle.GetCards()
		return shuffled(draws, fmt.Sprintf("recycle %d", dealer.reshuffles), slices.Clone(cards), cards)
	case *pb.BloeffDraw_Doubter:
		doubters := dealer.doubters
		if dealer.played == nil || len(doubters) < 2 {
			return false
		}
		doubter := doubters[draws.Below(fmt.Sprintf("doubter %d", dealer.turn), len(doubters))]
		dealer.doubted(doubter)
		return int(draw.Doubter.GetSeat()) == doubter
	}
	return false
}

// shuffled says whether the cards, in ascending order at first, are in the drawn order.
func shuffled(draws Draws, key string, cards, drawn []pb.BloeffCard) bool {
	slices.Sort(cards)
	Shuffle(draws, key, cards)
	return slices.Equal(cards, drawn)
}

func (dealer *bloeffDealer) acted(seat int, action *pb.Action) bool {
	switch action := action.GetBloeff().GetAction().(type) {
	case *pb.BloeffAction_Number:
		limits := dealer.options.GetLimits()
		if dealer.round >= len(limits) {
			return false
		}
		if action.Number.GetAnnounce() > limits[dealer.round] {
			dealer.beginRound(seat)
			return true
		}
		dealer.player, dealer.played = seat, action.Number
		dealer.ballots, dealer.doubters = 0, nil
	case *pb.BloeffAction_Red:
		target := int(action.Red.GetTarget())
		if target < 0 || target >= dealer.seats {
			return false
		}
		dealer.waiting[target] = append(dealer.waiting[target], action.Red.GetCard())
		dealer.beginTurn(dealer.after(seat))
	case *pb.BloeffAction_ActionCard:
		dealer.clockwise = !dealer.clockwise
		dealer.beginTurn(dealer.after(seat))
	case *pb.BloeffAction_Ballot:
		dealer.ballots++
		if action.Ballot.GetDoubt() {
			dealer.doubters = append(dealer.doubters, seat)
		}
		if dealer.ballots == dealer.seats-1 {
			dealer.allVoted()
		}
	}
	return true
}

func (dealer *bloeffDealer) allVoted() {
	switch {
	case dealer.played == nil:
	case len(dealer.doubters) == 0:
		dealer.total = dealer.played.GetAnnounce()
		dealer.beginTurn(dealer.after(dealer.player))
	case len(dealer.doubters) == 1:
		dealer.doubted(dealer.doubters[0])
	case dealer.options.GetDoubtInTurnOrder():
		for seat := dealer.after(dealer.player); ; seat = dealer.after(seat) {
			if slices.Contains(dealer.doubters, seat) {
				dealer.doubted(seat)
				return
			}
		}
	}
}

func (dealer *bloeffDealer) doubted(doubter int) {
	honest := dealer.total + value(dealer.played.GetCard())
	if !dealer.options.GetBelowZeroIsBluff() {
		honest = max(0, honest)
	}
	if dealer.played.GetAnnounce() == honest {
		dealer.beginRound(dealer.player)
	} else {
		dealer.beginRound(doubter)
	}
}

func (dealer *bloeffDealer) beginRound(seat int) {
	dealer.round++
	dealer.total = 0
	dealer.beginTurn(seat)
}

func (dealer *bloeffDealer) beginTurn(seat int) {
	dealer.turn++
	dealer.played = nil
	for len(dealer.waiting[seat]) > 0 {
		card := dealer.waiting[seat][0]
		dealer.waiting[seat] = dealer.waiting[seat][1:]
		if card == pb.BloeffCard_BLOEFF_CARD_SKIP || dealer.options.GetDraw2EndsTurn() {
			dealer.beginTurn(dealer.after(seat))
			return
		}
	}
}

func (dealer *bloeffDealer) after(seat int) int {
	if dealer.clockwise {
		return (seat + 1) % dealer.seats
	}
	return (seat + dealer.seats - 1) % dealer.seats
}
