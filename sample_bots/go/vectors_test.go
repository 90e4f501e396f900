package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	pb "bluffarena.example/bot/arenav1"
)

// read returns a file of the vectors, which lie here (arena new-bot) or beside this folder.
func read(t *testing.T, name string) []byte {
	t.Helper()
	for _, folder := range []string{"vectors", "../vectors"} {
		if text, err := os.ReadFile(filepath.Join(folder, name)); err == nil {
			return text
		}
	}
	t.Fatalf("there is no vectors/%s", name)
	return nil
}

func readLines[T any](t *testing.T, name string) (lines []T) {
	t.Helper()
	for _, line := range bytes.Split(bytes.TrimSpace(read(t, name)), []byte("\n")) {
		var value T
		if err := json.Unmarshal(line, &value); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, value)
	}
	return lines
}

func message[T proto.Message](t *testing.T, text []byte, into T) T {
	t.Helper()
	if err := protojson.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
	return into
}

func bytesOf(t *testing.T, text string) []byte {
	t.Helper()
	decoded, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}

func TestDraws(t *testing.T) {
	var vectors []struct {
		Secret, Commitment string
		MatchID            string `json:"match_id"`
		MatchKey           string `json:"match_key"`
		Entropies          []string
		Draws              []struct {
			Key           string
			Bound, Result int
		}
		Shuffles []struct {
			Key   string
			Count int
			Order []int
		}
	}
	if err := json.Unmarshal(read(t, "draws.json"), &vectors); err != nil {
		t.Fatal(err)
	}
	for _, vector := range vectors {
		secret := bytesOf(t, vector.Secret)
		var entropies [][]byte
		for _, entropy := range vector.Entropies {
			entropies = append(entropies, bytesOf(t, entropy))
		}
		if digest := sha256.Sum256(secret); hex.EncodeToString(digest[:]) != vector.Commitment {
			t.Error("commitment")
		}
		key := matchKey(secret, vector.MatchID, entropies)
		if hex.EncodeToString(key) != vector.MatchKey {
			t.Error("match key")
		}
		for _, draw := range vector.Draws {
			if found := (Draws{key}).Below(draw.Key, draw.Bound); found != draw.Result {
				t.Errorf("%s: %d is not %d", draw.Key, found, draw.Result)
			}
		}
		for _, shuffle := range vector.Shuffles {
			order := make([]int, shuffle.Count)
			for at := range order {
				order[at] = at
			}
			Shuffle(Draws{key}, shuffle.Key, order)
			if !slices.Equal(order, shuffle.Order) {
				t.Errorf("%s: %v is not %v", shuffle.Key, order, shuffle.Order)
			}
		}
	}
}

func TestMatchesAreDealtAsPromised(t *testing.T) {
	for _, vector := range readLines[struct{ Message json.RawMessage }](t, "matches.jsonl") {
		if err := CheckDealing(message(t, vector.Message, &pb.Transcript{})); err != nil {
			t.Error(err)
		}
	}
}

func TestTamperingIsNoticed(t *testing.T) {
	for _, vector := range readLines[struct {
		Changed string
		Message json.RawMessage
	}](t, "tampered.jsonl") {
		if CheckDealing(message(t, vector.Message, &pb.Transcript{})) == nil {
			t.Errorf("%s was changed unnoticed", vector.Changed)
		}
	}
}

func TestTurnsAreAnsweredAsTheHonestBotDoes(t *testing.T) {
	for _, game := range []string{"bluff", "bluff_you", "bloeff"} {
		for _, vector := range readLines[struct {
			Options json.RawMessage
			Turns   []struct {
				Seat    int32
				View    json.RawMessage
				Answers []json.RawMessage
			}
		}](t, "turns_"+game+".jsonl") {
			options := message(t, vector.Options, &pb.Options{})
			for _, turn := range vector.Turns {
				bot := NewBot(&pb.Offer{Options: options, Seat: turn.Seat})
				action := bot.Act(&pb.Turn{View: message(t, turn.View, &pb.View{})})
				if !slices.ContainsFunc(turn.Answers, func(answer json.RawMessage) bool {
					return proto.Equal(action, message(t, answer, &pb.Action{}))
				}) {
					t.Fatalf("%v\nfor %s\nis none of %s", action, turn.View, turn.Answers)
				}
			}
		}
	}
}
