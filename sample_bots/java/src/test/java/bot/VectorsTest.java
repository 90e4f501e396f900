package bot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import arena.v1.Action;
import arena.v1.Offer;
import arena.v1.Options;
import arena.v1.Transcript;
import arena.v1.Turn;
import arena.v1.View;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bot and the check of the dealing against the test vectors. */
final class VectorsTest {
  /** A file of the vectors, which lie here (arena new-bot) or beside this folder. */
  private static Path file(String name) {
    return Stream.of("vectors", "../vectors")
        .map(folder -> Path.of(folder, name))
        .filter(Files::exists)
        .findFirst()
        .orElseThrow();
  }

  private static List<JsonObject> lines(String name) throws IOException {
    try (var lines = Files.lines(file(name))) {
      return lines.map(line -> JsonParser.parseString(line).getAsJsonObject()).toList();
    }
  }

  /** Fills in a message from its JSON form. */
  private static <B extends Message.Builder> B message(JsonElement json, B builder)
      throws IOException {
    JsonFormat.parser().merge(json.toString(), builder);
    return builder;
  }

  @Test
  void drawsFollowFromTheOpening() throws IOException {
    var hex = HexFormat.of();
    for (JsonElement each : JsonParser.parseString(Files.readString(file("draws.json"))).getAsJsonArray()) {
      JsonObject vector = each.getAsJsonObject();
      byte[] secret = hex.parseHex(vector.get("secret").getAsString());
      assertEquals(vector.get("commitment").getAsString(), hex.formatHex(Dealing.sha256(secret)));
      var entropies = new ArrayList<ByteString>();
      for (JsonElement entropy : vector.getAsJsonArray("entropies")) {
        entropies.add(ByteString.copyFrom(hex.parseHex(entropy.getAsString())));
      }
      byte[] key = Draws.matchKey(secret, vector.get("match_id").getAsString(), entropies);
      assertEquals(vector.get("match_key").getAsString(), hex.formatHex(key));
      Draws draws = new Draws(key);
      for (JsonElement one : vector.getAsJsonArray("draws")) {
        JsonObject draw = one.getAsJsonObject();
        int drawn = draws.below(draw.get("key").getAsString(), draw.get("bound").getAsInt());
        assertEquals(draw.get("result").getAsInt(), drawn, draw.toString());
      }
      for (JsonElement one : vector.getAsJsonArray("shuffles")) {
        JsonObject shuffle = one.getAsJsonObject();
        var order =
            new ArrayList<>(IntStream.range(0, shuffle.get("count").getAsInt()).boxed().toList());
        draws.shuffle(shuffle.get("key").getAsString(), order);
        assertEquals(
            shuffle.get("order").toString(), order.toString().replace(" ", ""), shuffle.toString());
      }
    }
  }

  @Test
  void matchesAreDealtAsPromised() throws IOException {
    for (JsonObject vector : lines("matches.jsonl")) {
      var transcript = message(vector.get("message"), Transcript.newBuilder()).build();
      assertEquals(Optional.empty(), Dealing.error(transcript));
    }
  }

  @Test
  void tamperingIsNoticed() throws IOException {
    for (JsonObject vector : lines("tampered.jsonl")) {
      var transcript = message(vector.get("message"), Transcript.newBuilder()).build();
      assertTrue(Dealing.error(transcript).isPresent(), vector.get("changed").getAsString());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"bluff", "bluff_you", "bloeff"})
  void turnsAreAnsweredAsTheHonestBotDoes(String game) throws IOException {
    for (JsonObject vector : lines("turns_" + game + ".jsonl")) {
      var options = message(vector.get("options"), Options.newBuilder());
      for (JsonElement one : vector.getAsJsonArray("turns")) {
        JsonObject turn = one.getAsJsonObject();
        int seat = turn.get("seat").getAsInt();
        Bot bot = new Bot(Offer.newBuilder().setOptions(options).setSeat(seat).build());
        var view = message(turn.get("view"), View.newBuilder());
        Action action = bot.act(Turn.newBuilder().setView(view).build());
        var good = new ArrayList<Action>();
        for (JsonElement answer : turn.getAsJsonArray("answers")) {
          good.add(message(answer, Action.newBuilder()).build());
        }
        assertTrue(good.contains(action), () -> action + " is not among the answers of " + turn);
      }
    }
  }
}
