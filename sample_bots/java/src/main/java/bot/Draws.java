package bot;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Collections;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The draws of a match. docs/transcript.md has the formulas. */
final class Draws {
  private final Mac mac;

  Draws(byte[] matchKey) {
    mac = hmac(matchKey);
  }

  static byte[] matchKey(byte[] secret, String matchId, List<ByteString> entropies) {
    Mac mac = hmac(secret);
    frame(mac, matchId.getBytes(StandardCharsets.UTF_8));
    entropies.forEach(entropy -> frame(mac, entropy.toByteArray()));
    return mac.doFinal();
  }

  private static void frame(Mac mac, byte[] part) {
    mac.update(ByteBuffer.allocate(4).putInt(part.length).array());
    mac.update(part);
  }

  private static Mac hmac(byte[] key) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac;
    } catch (GeneralSecurityException error) {
      throw new IllegalStateException(error); // every Java has it
    }
  }

  /** The number from 0 to {@code bound} - 1 that is drawn under a key. */
  int below(String key, int bound) {
    long incomplete = Long.remainderUnsigned(-bound, bound); // 2^64 mod bound
    for (int attempt = 0; ; attempt++) {
      byte[] digest = mac.doFinal((key + "#" + attempt).getBytes(StandardCharsets.UTF_8));
      long number = ByteBuffer.wrap(digest).getLong();
      if (Long.compareUnsigned(number, -1 - incomplete) <= 0) {
        return (int) Long.remainderUnsigned(number, bound);
      }
    }
  }

  void shuffle(String key, List<?> list) {
    for (int last = list.size() - 1; last > 0; last--) {
      Collections.swap(list, last, below(key + " " + last, last + 1));
    }
  }
}
