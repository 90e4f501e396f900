// A bot for Bluff, Bluff You! and Blöff: it plays what is likeliest, given what it sees.
//
// This is the file to change. connection.go talks to the referee, dealing.go checks every match.
package main

import (
	"math"

	pb "bluffarena.example/bot/arenav1"
)

func main() {
	Run(Settings{Games: []string{"bluff", "bluff_you", "bloeff"}, MaxMatches: 16}, NewBot)
}

// Honest plays one match in one seat: what it keeps belongs to that match.
type Honest struct {
	seat    int32
	options *pb.Options
}

// NewBot is called for every match. At this moment the offer may name nobody but this bot.
func NewBot(offer *pb.Offer) Bot {
	return &Honest{seat: offer.GetSeat(), options: offer.GetOptions()}
}

// Act answers a turn. A panic counts as a malformed answer: a fault.
func (bot *Honest) Act(turn *pb.Turn) *pb.Action {
	switch view := turn.GetView().GetGame().(type) {
	case *pb.View_Bluff:
		return &pb.Action{Game: &pb.Action_Bluff{Bluff: bot.bluff(view.Bluff)}}
	case *pb.View_BluffYou:
		return &pb.Action{Game: &pb.Action_BluffYou{BluffYou: bot.bluffYou(view.BluffYou)}}
	case *pb.View_Bloeff:
		return &pb.Action{Game: &pb.Action_Bloeff{Bloeff: bot.bloeff(view.Bloeff)}}
	}
	panic("a view of an unknown game")
}

// --- Bluff --------------------------------------------------------------------------------------

const star = pb.BluffFace_BLUFF_FACE_STAR // counts for whatever face is bet on

const opensAt = 0.6 // it opens with the highest bet that is at least this likely to be right

func (bot *Honest) bluff(view *pb.BluffView) *pb.BluffAction {
	if !view.GetCanDoubt() {
		return bet(opening(view))
	}
	standing := view.Bets[len(view.Bets)-1].GetBet()
	// On each face the lowest bet is the most likely one, so six are enough to look at.
	best, chance := (*pb.BluffBet)(nil), 0.0
	for face := pb.BluffFace_BLUFF_FACE_ONE; face <= star; face++ {
		quantity := view.Lowest[face-1]
		if quantity > view.GetHighest() {
			continue
		}
		if likely := likelihood(view, face, quantity); best == nil || likely > chance {
			best, chance = &pb.BluffBet{Quantity: quantity, Face: face}, likely
		}
	}
	if best == nil || 1-likelihood(view, standing.GetFace(), standing.GetQuantity()) >= chance {
		return &pb.BluffAction{Action: &pb.BluffAction_Doubt{Doubt: &pb.BluffDoubt{}}}
	}
	return bet(best)
}

func bet(bet *pb.BluffBet) *pb.BluffAction {
	return &pb.BluffAction{Action: &pb.BluffAction_Bet{Bet: bet}}
}

// opening is the highest bet that is likely enough; 1 x 1 always is.
func opening(view *pb.BluffView) *pb.BluffBet {
	best := &pb.BluffBet{Quantity: 1, Face: pb.BluffFace_BLUFF_FACE_ONE}
	for face := pb.BluffFace_BLUFF_FACE_ONE; face <= star; face++ {
		for quantity := int32(1); quantity <= view.GetHighest(); quantity++ {
			if quantity > 1 && likelihood(view, face, quantity) < opensAt {
				break
			}
			if field(quantity, face) > field(best.Quantity, best.Face) {
				best = &pb.BluffBet{Quantity: quantity, Face: face}
			}
		}
	}
	return best
}

// field is the place on the track: star n lies between the numbers 2n - 1 and 2n.
func field(quantity int32, face pb.BluffFace) int32 {
	if face == star {
		return 4*quantity - 1
	}
	return 2 * quantity
}

// likelihood is the probability that at least `quantity` of all dice match `face`: how many of the
// dice that this seat cannot see do is binomial.
func likelihood(view *pb.BluffView, face pb.BluffFace, quantity int32) float64 {
	seen := append([]pb.BluffFace{}, view.HiddenDice...)
	for _, dice := range view.FaceUp {
		seen = append(seen, dice.Faces...)
	}
	unseen, wanted := -int32(len(seen)), quantity
	for _, count := range view.DiceCounts {
		unseen += count
	}
	for _, die := range seen {
		if die == face || die == star {
			wanted--
		}
	}
	p := 1.0 / 3
	if face == star {
		p = 1.0 / 6
	}
	chance := 0.0
	exactly := math.Pow(1-p, float64(unseen)) // the probability of `count` matches
	for count := int32(0); count <= unseen; count++ {
		if count >= wanted {
			chance += exactly
		}
		exactly *= float64(unseen-count) / float64(count+1) * p / (1 - p)
	}
	return chance
}

// --- Bluff You! ---------------------------------------------------------------------------------

func (bot *Honest) bluffYou(view *pb.BluffYouView) *pb.BluffYouAction {
	switch view.GetPhase() {
	case pb.BluffYouPhase_BLUFF_YOU_PHASE_ANSWER: // no sum is likelier than one in eight
		answer := &pb.BluffYouAnswer{Believe: false}
		return &pb.BluffYouAction{Action: &pb.BluffYouAction_Answer{Answer: answer}}
	case pb.BluffYouPhase_BLUFF_YOU_PHASE_GIVE:
		own := view.Chips[bot.seat].GetNumbers()
		cheapest := own[0]
		for _, chip := range own {
			if bot.points(chip) < bot.points(cheapest) {
				cheapest = chip
			}
		}
		give := &pb.BluffYouGive{Number: cheapest}
		return &pb.BluffYouAction{Action: &pb.BluffYouAction_Give{Give: give}}
	case pb.BluffYouPhase_BLUFF_YOU_PHASE_TAKE:
		theirs := view.Chips[view.GetAnnounced().GetSteal().GetSeer()].GetNumbers()
		dearest := theirs[0]
		for _, chip := range theirs {
			if bot.points(chip) > bot.points(dearest) {
				dearest = chip
			}
		}
		take := &pb.BluffYouTake{Number: dearest}
		return &pb.BluffYouAction{Action: &pb.BluffYouAction_Take{Take: take}}
	case pb.BluffYouPhase_BLUFF_YOU_PHASE_SWAP_AGAIN:
		return &pb.BluffYouAction{Action: &pb.BluffYouAction_Stop{Stop: &pb.BluffYouStop{}}}
	}
	return bot.announce(view)
}

// announce tells the truth if possible, else swaps if possible, else says the likeliest number.
func (bot *Honest) announce(view *pb.BluffYouView) *pb.BluffYouAction {
	next := (bot.seat + 1) % int32(len(view.Chips))
	rolled := int32(0)
	for _, die := range view.Dice {
		rolled += die
	}
	likeliest := view.WinNumbers[0]
	for _, number := range view.WinNumbers {
		if number == rolled {
			return win(next, rolled)
		}
		if ways(number) > ways(likeliest) {
			likeliest = number
		}
	}
	for seat, chips := range view.Chips {
		for _, chip := range chips.GetNumbers() {
			if view.GetCanSteal() && chip == rolled && int32(seat) != bot.seat {
				steal := &pb.BluffYouSteal{Seer: int32(seat), Number: chip}
				return &pb.BluffYouAction{Action: &pb.BluffYouAction_Steal{Steal: steal}}
			}
		}
	}
	if len(view.SwapTargets) > 0 {
		target := view.SwapTargets[0]
		least := int(bot.options.GetBluffYou().GetSwapMinGive())
		give := bot.worth(view.Chips[bot.seat].GetNumbers(), bot.points(target), least)
		swap := &pb.BluffYouSwap{Give: give, Take: target}
		return &pb.BluffYouAction{Action: &pb.BluffYouAction_Swap{Swap: swap}}
	}
	return win(next, likeliest)
}

func win(seer, number int32) *pb.BluffYouAction {
	win := &pb.BluffYouWin{Seer: seer, Number: number}
	return &pb.BluffYouAction{Action: &pb.BluffYouAction_Win{Win: win}}
}

// worth finds `least` or more of the chips that are worth so many points; nil if there are none.
func (bot *Honest) worth(chips []int32, points int32, least int) []int32 {
	if points == 0 && least <= 0 {
		return []int32{}
	}
	for at, chip := range chips {
		if worth := bot.points(chip); worth <= points {
			if more := bot.worth(chips[at+1:], points-worth, least-1); more != nil {
				return append([]int32{chip}, more...)
			}
		}
	}
	return nil
}

func (bot *Honest) points(chip int32) int32 {
	return bot.options.GetBluffYou().ChipPoints[chip-3]
}

// ways is how many of the 216 rolls of three dice make a sum.
func ways(sum int32) (ways int) {
	for one := int32(1); one <= 6; one++ {
		for two := int32(1); two <= 6; two++ {
			if three := sum - one - two; three >= 1 && three <= 6 {
				ways++
			}
		}
	}
	return ways
}

// --- Blöff --------------------------------------------------------------------------------------

const (
	lastNumber = pb.BloeffCard_BLOEFF_CARD_FOUR // the number cards come first
	reverse    = pb.BloeffCard_BLOEFF_CARD_REVERSE
)

func value(card pb.BloeffCard) int32 { return int32(card) - 3 } // of a number card

func (bot *Honest) bloeff(view *pb.BloeffView) *pb.BloeffAction {
	if view.GetBalloted() != nil {
		ballot := &pb.BloeffBallot{Doubt: bot.couldBe(view, view.GetBalloted().GetTotal()) == 0}
		return &pb.BloeffAction{Action: &pb.BloeffAction_Ballot{Ballot: ballot}}
	}
	var safe, bust *pb.BloeffNumber // the highest honest card within the limit; the lowest one
	var other *pb.BloeffAction
	for _, card := range view.Hand { // ascending; calling is never a mistake
		switch {
		case card <= lastNumber:
			total := bot.makes(view, card)
			if total < view.GetLowest() || total > view.GetHighest() {
				continue // it cannot be announced honestly
			}
			number := &pb.BloeffNumber{Card: card, Announce: total, Call: true}
			if total <= view.GetLimit() {
				safe = number
			}
			if bust == nil {
				bust = number
			}
		case other != nil:
		case card == reverse: // worth least: it costs nobody a card or a turn
			action := &pb.BloeffActionCard{Card: card, Call: true}
			other = &pb.BloeffAction{Action: &pb.BloeffAction_ActionCard{ActionCard: action}}
		default:
			target := (bot.seat + 1) % int32(len(view.HandSizes))
			red := &pb.BloeffRed{Card: card, Target: target, Call: true}
			other = &pb.BloeffAction{Action: &pb.BloeffAction_Red{Red: red}}
		}
	}
	if safe == nil && other != nil {
		return other
	}
	if safe == nil {
		safe = bust
	}
	if safe == nil { // no card makes anything that may be announced: a lie is left
		safe = &pb.BloeffNumber{Card: view.Hand[0], Announce: view.GetLowest(), Call: true}
	}
	return &pb.BloeffAction{Action: &pb.BloeffAction_Number{Number: safe}}
}

// makes is the honest total of a number card.
func (bot *Honest) makes(view *pb.BloeffView, card pb.BloeffCard) int32 {
	total := view.GetTotal() + value(card)
	if bot.options.GetBloeff().GetBelowZeroIsBluff() {
		return total
	}
	return max(0, total)
}

// couldBe is how many cards that this seat has not seen would make the total honest.
func (bot *Honest) couldBe(view *pb.BloeffView, total int32) (count int32) {
	for _, row := range bot.options.GetBloeff().GetDeck() {
		if row.GetCard() <= lastNumber && bot.makes(view, row.GetCard()) == total {
			count += row.GetCount()
		}
	}
	for _, pile := range [][]pb.BloeffCard{view.Hand, view.Seen, view.FaceDown} {
		for _, card := range pile {
			if card <= lastNumber && bot.makes(view, card) == total {
				count--
			}
		}
	}
	return count
}
