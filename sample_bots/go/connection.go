package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	mathrand "math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "bluffarena.example/bot/arenav1"
)

// Bot plays one match.
type Bot interface {
	Act(turn *pb.Turn) *pb.Action
}

// Settings say what the bot plays.
type Settings struct {
	Games      []string
	MaxMatches int32 // at once, 1 to 64
}

const (
	firstPause   = 500 * time.Millisecond // before the next attempt to connect
	longestPause = 30 * time.Second
	lasting      = 5 * time.Second  // a stream that lasted so long makes the next pause short again
	goodbye      = 2 * time.Second  // how long a leaving bot waits for the referee to close the stream
	adoption     = 20 * time.Second // so soon the matches of a lost stream are resumed elsewhere
)

// match is one that the bot has joined.
type match struct {
	offer   *pb.Offer
	entropy []byte // what it joined with
	bot     Bot
}

type connection struct {
	settings  Settings
	newBot    func(*pb.Offer) Bot
	addresses []string // of the referees: the one given, then the others that were told
	matches   map[string]*match
	lost      map[string]*match // of the stream before, not resumed
	leaving   bool
	drains    bool          // whether the referee knows `drain`
	welcomed  time.Time     // when, or zero
	lostAt    time.Time     // when the last stream was lost; zero once another is welcomed
	retry     time.Duration // that the referee wants to be left alone
	signals   chan os.Signal
}

// Run plays until Ctrl-C. After the first one (or SIGTERM) the running matches are finished; the
// second leaves at once. It ends the program with code 2 if the referee refuses the bot.
func Run(settings Settings, newBot func(*pb.Offer) Bot) {
	log.SetFlags(log.Ltime)
	token := strings.TrimSpace(os.Getenv("ARENA_TOKEN"))
	if token == "" {
		log.Print("Set ARENA_TOKEN to the bot's token (`arena bot new` prints it).")
		os.Exit(2)
	}
	address := os.Getenv("ARENA_ADDRESS")
	if address == "" {
		address = "127.0.0.1:50051"
	}
	conn := &connection{settings: settings, newBot: newBot, signals: make(chan os.Signal, 2)}
	conn.addresses = []string{address}
	signal.Notify(conn.signals, os.Interrupt, syscall.SIGTERM)
	for pause := firstPause; ; pause = min(pause*4/3, longestPause) {
		err := conn.playOnce(address, token)
		if conn.leaving && (err == io.EOF || len(conn.matches) == 0) {
			log.Print("Stopped.")
			return
		}
		switch status.Code(err) {
		case codes.Aborted:
			log.Printf("Stopped: %s", status.Convert(err).Message())
			return
		case codes.Unauthenticated, codes.PermissionDenied, codes.InvalidArgument, codes.Unimplemented:
			log.Printf("The referee refused this bot: %s", status.Convert(err).Message())
			os.Exit(2)
		}
		if !conn.welcomed.IsZero() {
			conn.lostAt = time.Now()
			if time.Since(conn.welcomed) >= lasting {
				pause = firstPause
			}
		}
		wait := max(pause/2+mathrand.N(pause/2), conn.retry)
		log.Printf("Not connected to %s (%s); again in %.1f s. ARENA_ADDRESS says which referee.",
			address, status.Convert(err).Message(), wait.Seconds())
		address = conn.next(address)
		select {
		case <-time.After(wait):
		case <-conn.givesUp():
			log.Print("Stopped.")
			return
		case <-conn.signals:
			log.Print("Stopped.")
			if conn.leaving {
				os.Exit(130)
			}
			return
		}
	}
}

// givesUp tells when a leaving bot that no referee has welcomed after a loss gives up.
func (conn *connection) givesUp() <-chan time.Time {
	if !conn.leaving || conn.lostAt.IsZero() {
		return nil
	}
	return time.After(time.Until(conn.lostAt.Add(adoption)))
}

// next says where to try after an address. When a referee is gone, another goes on with its matches.
func (conn *connection) next(address string) string {
	return conn.addresses[(slices.Index(conn.addresses, address)+1)%len(conn.addresses)]
}

// told notes where the referees are. A program that was given a socket may have no network.
func (conn *connection) told(referees *pb.Referees) {
	given := conn.addresses[0]
	if referees == nil || strings.HasPrefix(given, "unix:") {
		return
	}
	conn.addresses = []string{given}
	for _, address := range referees.GetAddresses() {
		if address != given {
			conn.addresses = append(conn.addresses, address)
		}
	}
}

// gone says whether it is time to close our side of the stream. A referee that drains the bot closes
// the stream itself.
func (conn *connection) gone() bool {
	return conn.leaving && !conn.drains && len(conn.matches) == 0
}

// playOnce plays over one stream until it ends, and returns why it did.
func (conn *connection) playOnce(address, token string) error {
	conn.welcomed, conn.retry, conn.drains = time.Time{}, 0, false
	transport := insecure.NewCredentials()
	if target, found := strings.CutPrefix(address, "https://"); found {
		address, transport = target, credentials.NewTLS(&tls.Config{})
	}
	channel, err := grpc.NewClient(address,
		grpc.WithTransportCredentials(transport),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: time.Minute}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(16<<20)))
	if err != nil {
		return err
	}
	defer channel.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
	hello := &pb.Hello{
		ProtocolVersion: 1,
		Instance:        os.Getenv("ARENA_INSTANCE"),
		Games:           conn.settings.Games,
		MaxMatches:      conn.settings.MaxMatches,
		Client:          "starter, Go",
	}
	if conn.leaving { // it comes back for its matches alone: -1 asks for no others
		hello.MaxMatches = -1
	}

	opened := make(chan pb.RefereeService_PlayClient)
	responses := make(chan *pb.PlayResponse)
	ended := make(chan error, 1)
	go func() {
		stream, err := pb.NewRefereeServiceClient(channel).Play(ctx) // waits for the connection
		if err != nil {
			ended <- err
			return
		}
		stream.Send(&pb.PlayRequest{Hello: hello}) // an error of Send is told by Recv
		select {
		case opened <- stream:
		case <-ctx.Done():
			return
		}
		for {
			response, err := stream.Recv()
			if err != nil {
				ended <- err
				return
			}
			select {
			case responses <- response:
			case <-ctx.Done():
				return
			}
		}
	}()
	var stream pb.RefereeService_PlayClient // nil until it is opened
	var patience <-chan time.Time
	closed := false
	for {
		if conn.gone() && !closed {
			if stream == nil {
				return io.EOF
			}
			stream.CloseSend()
			closed, patience = true, time.After(goodbye)
		}
		select {
		case stream = <-opened:
		case response := <-responses:
			if conn.welcomed.IsZero() {
				conn.welcomed, conn.lostAt = time.Now(), time.Time{}
			}
			if request := conn.reply(response); proto.Size(request) > 0 && !closed {
				stream.Send(request)
			}
			conn.ended(response.GetEnds())
		case <-conn.signals:
			if conn.leaving {
				log.Print("Stopped.")
				os.Exit(130)
			}
			conn.leaving = true
			if conn.drains {
				stream.Send(&pb.PlayRequest{Drain: &pb.Drain{}})
			}
			log.Printf("Finishing %d matches; Ctrl-C again leaves at once.", len(conn.matches))
		case <-patience:
			return io.EOF
		case <-conn.givesUp():
			return io.EOF
		case err := <-ended:
			if stream != nil {
				for _, seconds := range stream.Trailer().Get("retry-after") {
					conn.retry, _ = time.ParseDuration(seconds + "s")
				}
			}
			return err
		}
	}
}

// reply handles everything but ends, and returns what there is to say.
func (conn *connection) reply(response *pb.PlayResponse) *pb.PlayRequest {
	request := &pb.PlayRequest{}
	conn.told(response.GetReferees())
	if welcome := response.GetWelcome(); welcome != nil {
		conn.told(welcome.GetReferees())
		conn.lost, conn.matches = conn.matches, map[string]*match{}
		log.Printf("Connected as %s %s; playing %s, up to %d matches at once.",
			welcome.GetEntrant().GetBot(), welcome.GetEntrant().GetVersion(),
			strings.Join(welcome.GetGames(), ", "), welcome.GetMaxMatches())
		conn.drains = welcome.GetKnowsDrain()
		if conn.leaving && conn.drains { // the wish of the stream before was lost with it
			request.Drain = &pb.Drain{}
		}
	}
	for _, resume := range response.GetResumes() {
		offer := resume.GetOffer()
		known := conn.lost[offer.GetMatchId()]
		delete(conn.lost, offer.GetMatchId())
		if known == nil {
			known = &match{offer, resume.GetEntropy(), conn.newBot(offer)}
		}
		conn.matches[offer.GetMatchId()] = known
	}
	for _, offer := range response.GetOffers() {
		if conn.leaving && !conn.drains {
			request.Declines = append(request.Declines, &pb.Decline{MatchId: offer.GetMatchId()})
			continue
		}
		entropy := make([]byte, 16)
		rand.Read(entropy) // never fails
		conn.matches[offer.GetMatchId()] = &match{offer, entropy, conn.newBot(offer)}
		request.Joins = append(request.Joins, &pb.Join{MatchId: offer.GetMatchId(), Entropy: entropy})
	}
	for _, withdrawal := range response.GetWithdrawals() {
		if conn.forget(withdrawal.GetMatchId()) != nil {
			log.Printf("Match %s was called off: %s", withdrawal.GetMatchId(), withdrawal.GetReason())
		}
	}
	for _, refusal := range response.GetRefusals() {
		log.Printf("Fault %d in match %s, turn %d: %s %s", refusal.GetFaults(),
			refusal.GetMatchId(), refusal.GetTurnNumber(), refusal.GetReason(), refusal.GetLegal())
	}
	for _, turn := range response.GetTurns() {
		request.Answers = append(request.Answers, conn.answer(turn))
	}
	return request
}

// answer asks the bot. Without an action the answer is refused at once, so that the others need not
// wait for the end of our time.
func (conn *connection) answer(turn *pb.Turn) (answer *pb.Answer) {
	answer = &pb.Answer{MatchId: turn.GetMatchId(), TurnNumber: turn.GetTurnNumber()}
	defer func() {
		if cause := recover(); cause != nil {
			log.Printf("The bot failed in match %s, turn %d: %v", turn.GetMatchId(), turn.GetTurnNumber(), cause)
		}
	}()
	if match := conn.matches[turn.GetMatchId()]; match != nil {
		answer.Action = match.bot.Act(turn)
	}
	return answer
}

func (conn *connection) ended(ends []*pb.End) {
	for _, end := range ends {
		match := conn.forget(end.GetMatchId())
		if match == nil {
			continue // an earlier run of the program played it
		}
		if err := match.check(end.GetTranscript()); err != nil {
			log.Printf("Match %s: verification failed: %v", end.GetMatchId(), err)
		}
	}
}

// check says what is wrong with a finished match, if anything.
func (match *match) check(transcript *pb.Transcript) error {
	offer, setup := match.offer, transcript.GetSetup()
	entropies, seat := transcript.GetEntropies(), int(offer.GetSeat())
	switch {
	case setup.GetMatchId() != offer.GetMatchId() || !proto.Equal(setup.GetOptions(), offer.GetOptions()):
		return errors.New("the match is not the one offered")
	case !bytes.Equal(transcript.GetCommitment(), offer.GetCommitment()):
		return errors.New("the commitment is not the one offered")
	case seat >= len(entropies) || len(match.entropy) > 0 && !bytes.Equal(match.entropy, entropies[seat]):
		return errors.New("it was not dealt with the entropy that this bot sent")
	}
	if err := CheckDealing(transcript); err != nil {
		return fmt.Errorf("the dealing is wrong: %w", err)
	}
	return nil
}

func (conn *connection) forget(id string) *match {
	for _, matches := range []map[string]*match{conn.matches, conn.lost} {
		if found := matches[id]; found != nil {
			delete(matches, id)
			return found
		}
	}
	return nil
}
